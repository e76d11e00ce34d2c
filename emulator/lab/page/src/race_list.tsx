/** Data races of a kernel: the list of them, and each with its report and both accesses side by side. */
import {eventOfAccess, eventOfRace, raceLines} from './film.mjs';
import {Side} from './side';
import type {Film} from './wrong_reads';

interface Access {
  text: string;
  where: string;
  who: string;
  operation: number;
  step: number;
}

/** What `heddle trace --film` writes; film.mjs says what the parts mean. */
export interface Race {
  title: string;
  first: Access;
  second: Access;
  excuse: string;
  why: string;
  changes: string[];
  no_change: string;
  again: string;
  related: Race[];
}

interface Line {
  label: string;
  text: string;
  event: number;
}

interface Props {
  film: Film;
  chosen: Race | null;
  onRace: (race: Race) => void;
}

export function RaceList({film, chosen, onRace}: Props) {
  if (film.races.length === 0) return null;
  return (
    <details open data-kind="race">
      <summary>Data races, two accesses that nothing orders: {film.races.length.toLocaleString('en')}</summary>
      <ol class="events wrong" aria-label="Data races">{film.races.map((race, i) => (
        <li key={i} class={race === chosen ? 'now' : ''}>
          <button type="button" data-race={i} aria-current={race === chosen ? 'true' : undefined} onClick={() => onRace(race)}>
            {race.title}{race.related.length > 0 && `, and ${race.related.length} related`}</button></li>))}</ol>
    </details>
  );
}

function LineOfRace({film, race, line, onEvent, onRace}: {film: Film; race: Race; line: Line; onEvent: (event: number) => void; onRace: (race: Race) => void}) {
  const other = line.label === 'also' ? race.related.find(one => one.title === line.text && eventOfRace(film, one) === line.event) : undefined;
  if (other) return <button type="button" class="small" onClick={() => onRace(other)}>{line.text}</button>;
  if (line.label === 'again') return <code>{line.text}</code>;
  return line.event >= 0 ? <button type="button" class="small" onClick={() => onEvent(line.event)}>{line.text}</button> : <>{line.text}</>;
}

export function RaceView({film, race, onEvent, onRace}: {film: Film; race: Race; onEvent: (event: number) => void; onRace: (race: Race) => void}) {
  const isMissing = [race.first, race.second].some(access => eventOfAccess(film, access) < 0);
  const sides = ([['The first access', race.first], ['The second access', race.second]] as [string, Access][]).filter(([, access]) => access.operation >= 0);
  return (
    <section aria-label="This race" class="this-race">
      <h3>{race.title}</h3>
      <dl>{(raceLines(film, race) as Line[]).map((line, i) => (
        <div key={i}><dt>{line.label}</dt><dd><LineOfRace film={film} race={race} line={line} onEvent={onEvent} onRace={onRace} /></dd></div>))}</dl>
      {isMissing && <p class="faint">An access that has no event is not among the events of this film, or so far back that the detector had forgotten which it was.</p>}
      <div class="two">{sides.map(([title, access]) => (
        <Side key={title} film={film} title={title} operation={access.operation} event={eventOfAccess(film, access)} onEvent={onEvent} />))}</div>
    </section>
  );
}
