/** Reads of a kernel that did not have the newest value: the list of them, and each with the copy that it took and the write that it missed. */
import {eventOf, eventText, wrongStory} from './film.mjs';
import type {Race} from './race_list';
import {Side} from './side';

/** What `heddle trace --film` writes; film.mjs says what the parts mean. */
export interface Film {
  title: string;
  cut: boolean;
  texts: string[];
  caches: string[];
  agents: string[];
  agents_in_short: string[];
  stale: [number, number, string][];
  steps: {stale?: string}[];
  operations: Record<string, ArrayLike<number>>;
  events: Record<string, ArrayLike<number>>;
  moves: Record<string, ArrayLike<number>>;
  sources: Record<string, string[]>;
  races: Race[];
}

export interface Wrong {
  event: number;
  operation: number;
  kind: 'stale' | 'early' | 'poll';
  missed: number;
  where: number | null;
}

interface Value {
  text: string;
  write: number;
  event: number;
}
interface Story {
  reader: string;
  writer: string;
  place: string;
  why: string;
  took: Value & {from: string; place: string};
  missed: Value;
}

/** More are not listed: what they have in common is seen from these. */
const kListed = 1000;

const kHeads: Record<Wrong['kind'], string> = {
  stale: 'Stale reads: an old copy, though the newer write had come',
  early: 'Early reads: the newer write was still on its way',
  poll: 'Atomics that looked before the newer write had come (a loop that waits does so)',
};

function Group({kind, film, wrong, number, onEvent}: {kind: Wrong['kind']; film: Film; wrong: Wrong[]; number: number; onEvent: (event: number) => void}) {
  const these = wrong.filter(one => one.kind === kind);
  if (these.length === 0) return null;
  return (
    <details open={kind !== 'poll'} data-kind={kind}>
      <summary>{kHeads[kind]}: {these.length.toLocaleString('en')}</summary>
      <ol class="events wrong" aria-label={kHeads[kind]}>{these.slice(0, kListed).map(one => (
        <li key={one.event} class={one.event === number ? 'now' : ''}>
          <button type="button" data-wrong={one.event} aria-current={one.event === number ? 'true' : undefined} onClick={() => onEvent(one.event)}>
            {one.event} {eventText(film, one.event)}, missed event {eventOf(film, one.missed)}</button></li>))}
        {these.length > kListed && <li class="faint">and {(these.length - kListed).toLocaleString('en')} more</li>}</ol>
    </details>
  );
}

export function WrongList({film, wrong, number, onEvent}: {film: Film; wrong: Wrong[]; number: number; onEvent: (event: number) => void}) {
  return (
    <section aria-label="Wrong reads">
      {wrong.every(one => one.kind === 'poll') && film.steps.every(step => !step.stale) && <p class="verdict fine">Every read of data had the newest value that was written before it.</p>}
      {(['stale', 'early', 'poll'] as const).map(kind => <Group key={kind} kind={kind} film={film} wrong={wrong} number={number} onEvent={onEvent} />)}
    </section>
  );
}

export function WrongRead({film, wrong, onEvent}: {film: Film; wrong: Wrong; onEvent: (event: number) => void}) {
  const story = wrongStory(film, wrong) as Story;
  return (
    <section aria-label="This read" class="wrong-read">
      <h3>What this read took, and what it missed</h3>
      <div class="machine">
        <div class="place cache" role="group" aria-label="The copy that it took"><h3>{story.took.place}</h3>
          <span class={`token ${wrong.kind === 'stale' ? 'stale' : ''}`}><span class="value">{story.took.text}</span>{story.took.write >= 0 ? ` of event ${story.took.event}` : ', the initial value'}</span>
          <p class="faint">taken</p></div>
        <div class={`place ${story.place === 'memory' ? 'memory' : 'cache'}`} role="group" aria-label="The write that it missed"><h3>{story.place}</h3>
          <button type="button" class="token write" onClick={() => onEvent(story.missed.event)}>{story.missed.text} of event {story.missed.event}</button>
          <p class="faint">missed</p></div>
      </div>
      <p class="verdict racy">{story.why}</p>
      <div class="two">
        <Side film={film} title="Who reads" operation={wrong.operation} event={wrong.event} onEvent={onEvent} />
        <Side film={film} title="Who wrote" operation={wrong.missed} event={story.missed.event} onEvent={onEvent} />
      </div>
    </section>
  );
}
