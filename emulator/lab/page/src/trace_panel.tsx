/** Kernels: the trace of a C++ program's run, forward and back. The source is drawn where the editor stands otherwise. */
import {useEffect, useMemo, useRef, useState} from 'preact/hooks';
import {eventCount, eventOfRace, eventText, found, heldAfter, namesOf, nearest, passing, openFilm, placeOf, staleFrom, staleStory, styleOf, tracksSvg, wrongReads} from './film.mjs';
import {prose} from './prose';
import {RaceList, RaceView, type Race} from './race_list';
import {WrongList, WrongRead, type Film, type Wrong} from './wrong_reads';

/** A film, and the event that is looked at. */
export interface Watched {
  film: Film;
  number: number;
}

interface Served {
  name: string;
  address: string;
}

/** More are never drawn at once: a film may be long, and many writes may wait. */
const kEventsAround = 100, kCaches = 12, kWritesOfCache = 8;
/** A film of 2,000,000 events has some 120 MB; a browser has no longer texts than half a gigabyte. */
const kLongestFile = 400e6;

/** The data in a file that somebody chose. */
function dataOf(text: string): unknown {
  if (text.startsWith('HEDDLETR'))
    throw new Error('This is the trace itself. `heddle lab RUN.trace` opens it, and `heddle trace RUN.trace --film RUN.json` writes a file that can be opened here.');
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`It is no JSON (${(error as Error).message}): \`heddle trace RUN.trace --film RUN.json\` writes a file that can be opened here.`);
  }
}

/** The lines around the event, with the one marked that is executed. */
export function SourceView({watched}: {watched: Watched | null}) {
  const marked = useRef<HTMLDivElement>(null);
  const place = watched ? placeOf(watched.film, watched.number) : undefined;
  // Without moving the page itself, as scrollIntoView would.
  useEffect(() => {
    const row = marked.current, box = row?.parentElement;
    if (row && box) box.scrollTop = row.offsetTop - box.offsetTop - box.clientHeight / 2;
  }, [place?.file, place?.line]);
  if (!watched) return <p class="faint">The source of the kernel comes here once a trace is open.</p>;
  if (!place) return <p class="faint">No line of the source belongs to this event.</p>;
  return (
    <>
      <h2 class="where">{place.file}:{place.line}</h2>
      {place.lines.length === 0 && <p class="faint">The file could not be read where the film was made.</p>}
      <div class="source" tabIndex={0} aria-label="Lines of the source">{place.lines.map((line: string, i: number) => (
        <div key={i} ref={i + 1 === place.line ? marked : undefined} class={i + 1 === place.line ? 'now' : ''}
             aria-current={i + 1 === place.line ? 'step' : undefined}>{String(i + 1).padStart(5)} {line}</div>))}</div>
    </>
  );
}

/** The traces that this page's server was given; none where it is a plain one. */
function useServed(): Served[] {
  const [served, setServed] = useState<Served[]>([]);
  useEffect(() => {
    fetch('traces.json').then(answer => answer.ok ? answer.json() : [], () => []).then(setServed, () => {});
  }, []);
  return served;
}

function Opener({served, onFilm, onProblem}: {
  served: Served[]; onFilm: (film: Film) => void; onProblem: (text: string) => void;
}) {
  const [over, setOver] = useState(false);
  const [busy, setBusy] = useState('');
  const [chosen, setChosen] = useState('');
  const open = (name: string, make: () => Promise<unknown>) => {
    onProblem('');
    setBusy(name);
    make().then(data => onFilm(openFilm(data) as unknown as Film)).catch(error => onProblem((error as Error).message)).finally(() => setBusy(''));
  };
  const openFile = (file: File | undefined) => file && open(file.name, async () => {
    if (file.size > kLongestFile) throw new Error(`${file.name} has more than ${kLongestFile / 1e6} MB.`);
    return dataOf(await file.text());
  });
  const openServed = (one: Served) => open(one.name, async () => {
    const answer = await fetch(one.address);
    if (!answer.ok) throw new Error((await answer.text()).trim() || `${one.name} cannot be had from the server.`);
    return answer.json();
  });
  const first = served.length === 1 ? served[0] : null;
  useEffect(() => {
    if (first) openServed(first);
  }, [first]);
  return (
    <div class={`drop ${over ? 'target' : ''}`} onDragOver={event => (event.preventDefault(), setOver(true))} onDragLeave={() => setOver(false)}
         onDrop={event => (event.preventDefault(), setOver(false), openFile(event.dataTransfer?.files[0]))}>
      {served.length > 0 && <label>Trace <select value={chosen} onChange={event => {
        setChosen(event.currentTarget.value);
        const one = served.find(({address}) => address === event.currentTarget.value);
        if (one) openServed(one);
      }}>
        {served.length > 1 && <option value="">(choose one)</option>}
        {served.map(one => <option key={one.address} value={one.address}>{one.name}</option>)}
      </select></label>}
      <label>Open a file <input type="file" accept=".json,application/json" onChange={event => openFile(event.currentTarget.files?.[0])} /></label>
      <span class="faint"> or drop it here</span>
      {busy && <p role="status">{busy} is being opened.</p>}
    </div>
  );
}

interface Props {
  watched: Watched | null;
  onWatch: (watched: Watched) => void;
}

export function TracePanel({watched, onWatch}: Props) {
  const served = useServed();
  const [problem, setProblem] = useState('');
  return (
    <section aria-label="Kernels">
      <Opener served={served} onProblem={setProblem} onFilm={film => onWatch({film, number: 0})} />
      {problem && <p class="problem" role="alert">{prose(problem)}</p>}
      {watched ? <FilmView key={watched.film} {...watched} onNumber={number => onWatch({...watched, number})} /> : (
        <>
          <p>A run of a C++ kernel, event by event: what each invocation did, what each cache held, when a copy went stale, and which accesses race.</p>
          <ol>
            <li>Record it: <code>HEDDLE_MODE=emulated HEDDLE_MEMORY=random HEDDLE_TRACE=run.trace ./program</code>, with <code>HEDDLE_RACES=text</code> in front to have its data races as well.</li>
            <li>Open it: <code>heddle lab run.trace</code>; or <code>heddle trace run.trace --film run.json</code>, and choose that file here, on any server.</li>
          </ol>
        </>)}
    </section>
  );
}

/** What a player of films does with keys, outside of fields. */
const kKeys: Record<string, 'back' | 'on' | 'staleBefore' | 'staleNext' | 'when'> = {
  ArrowLeft: 'back', ArrowRight: 'on', '[': 'staleBefore', ']': 'staleNext', s: 'when',
};

/** Some of many numbers. */
const around = (numbers: ArrayLike<number>, first: number, end: number): number[] =>
  Array.from({length: Math.max(0, Math.min(end, numbers.length) - first)}, (_, i) => numbers[first + i]);

/** The host, the queues, and where writes are: what tracksSvg has drawn of a film. */
function Tracks({box, svg, onEvent}: {box: {current: HTMLDivElement | null}; svg: string; onEvent: (event: number) => void}) {
  const go = (target: EventTarget | null) => {
    const slice = (target as Element | null)?.closest<SVGGElement>('[data-event]');
    if (slice) onEvent(Number(slice.dataset.event));
  };
  return (
    <>
      <h3>Host and queues</h3>
      <div ref={box} class="host-side" onClick={event => go(event.target)} onKeyDown={event => event.key === 'Enter' && go(event.target)}
           dangerouslySetInnerHTML={{__html: svg}} />
    </>
  );
}

const kNoFilter = {buffer: '', who: '', from: '', to: ''};

function FilmView({film, number, onNumber}: {film: Film; number: number; onNumber: (number: number) => void}) {
  const [filter, setFilter] = useState(kNoFilter);
  const [said, setSaid] = useState('');
  const [word, setWord] = useState('');
  const [race, setRace] = useState<Race | null>(null);
  const list = useRef<HTMLLIElement>(null);
  const names = useMemo(() => namesOf(film), [film]);
  const shown = useMemo(() => passing(film, filter) as ArrayLike<number>, [film, filter]);
  const at = nearest(shown, number);
  const tracks = useMemo(() => tracksSvg(film, number), [film, number]);
  const tracksBox = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const box = tracksBox.current, marked = box?.querySelector<SVGGElement>('.now');
    if (box && marked) box.scrollLeft = marked.getBBox().x - box.clientWidth / 2;
  }, [tracks]);
  const caches = useMemo(() => heldAfter(film, number), [film, number]);
  const wrong = useMemo(() => wrongReads(film) as Wrong[], [film]);
  const here = wrong.find(one => one.event === number);
  useEffect(() => {
    const row = list.current, box = row?.parentElement;
    if (row && box) box.scrollTop = row.offsetTop - box.offsetTop - box.clientHeight / 2;
  }, [number, shown]);
  // A filter that hides the event that is looked at goes to the next one that it shows.
  useEffect(() => {
    if (shown.length > 0 && shown[at] !== number) onNumber(shown[at]);
  }, [shown]);

  const go = (index: number) => {
    setSaid('');
    if (shown[index] !== undefined) onNumber(shown[index]);
  };
  const look = (event: number) => {
    setFilter(kNoFilter);
    setSaid('');
    onNumber(event);
  };
  const chooseRace = (chosen: Race) => {
    setRace(chosen);
    const event = eventOfRace(film, chosen);
    if (event >= 0) look(event);
  };
  const goStale = (direction: 1 | -1) => {
    const index = staleFrom(film, shown, at, direction);
    if (index >= 0) go(index);
    else setSaid(`No stale read comes ${direction > 0 ? 'behind' : 'before'} this.`);
  };
  const search = () => {
    const index = word ? found(film, shown, at + 1, word) : -1;
    if (index >= 0) go(index);
    else setSaid(word ? `No event that is shown has "${word}".` : 'Write a word to search for.');
  };
  const acts = {
    back: () => go(at - 1), on: () => go(at + 1), staleBefore: () => goStale(-1), staleNext: () => goStale(1),
    when: () => setSaid(staleStory(film, number)),
  };
  const onKey = (event: KeyboardEvent) => {
    const act = kKeys[event.key];
    if (!act || (event.target as HTMLElement).matches('input, select')) return;
    acts[act]();
    event.preventDefault();
  };
  const field = (key: 'who' | 'from' | 'to', label: string, rest: object) => (
    <label>{label} <input value={filter[key]} onInput={event => setFilter({...filter, [key]: event.currentTarget.value})} {...rest} /></label>);
  const first = Math.max(0, at - kEventsAround);
  return (
    <div class="film" onKeyDown={onKey} data-event={number}>
      <h2>{film.title}{film.cut && ` (the first ${eventCount(film).toLocaleString('en')} events)`}</h2>
      <RaceList film={film} chosen={race} onRace={chooseRace} />
      {race && <RaceView film={film} race={race} onEvent={look} onRace={chooseRace} />}
      <WrongList film={film} wrong={wrong} number={number} onEvent={look} />
      {here && <WrongRead film={film} wrong={here} onEvent={look} />}
      <div class="row">
        <button type="button" disabled={at === 0} onClick={acts.back} title="left arrow">Back</button>
        <button type="button" disabled={at >= shown.length - 1} onClick={acts.on} title="right arrow">Forward</button>
        <button type="button" onClick={acts.staleBefore} title="[">Stale read before</button>
        <button type="button" onClick={acts.staleNext} title="]">Next stale read</button>
        <button type="button" onClick={acts.when} title="s">When did this go stale?</button>
      </div>
      <label>{shown.length === 0 ? 'No event passes the filter' : `Event ${number} of ${eventCount(film)}`}
        <input class="timeline" type="range" min="0" max={Math.max(0, shown.length - 1)} value={at} onInput={event => go(Number(event.currentTarget.value))} /></label>
      <div class="row">
        <label>Buffer <select value={filter.buffer} onChange={event => setFilter({...filter, buffer: event.currentTarget.value})}>
          <option value="">(all)</option>{names.buffers.map(name => <option key={name}>{name}</option>)}
        </select></label>
        {field('who', 'Invocation', {list: 'invocations', placeholder: 'workgroup (0,0,0)'})}
        <datalist id="invocations">{names.invocations.slice(0, 1000).map((name: string) => <option key={name} value={name} />)}</datalist>
        {field('from', 'From', {type: 'number', min: 0})}
        {field('to', 'To', {type: 'number', min: 0})}
        <label>Search <input value={word} onInput={event => setWord(event.currentTarget.value)} onKeyDown={event => event.key === 'Enter' && search()} /></label>
        <button type="button" class="small" onClick={search}>Next</button>
      </div>
      {said && <pre class="verdict story" role="status">{said}</pre>}
      {tracks && <Tracks box={tracksBox} svg={tracks} onEvent={look} />}
      <h3>Caches behind this event</h3>
      <div class="machine" role="group" aria-label="Caches">
        {caches.length === 0 && <span class="faint">Nothing is on its way.</span>}
        {caches.slice(0, kCaches).map(([name, writes]) => (
          <div key={name} class="place cache" role="group" aria-label={name}><h3>{name}</h3>
            {writes.slice(0, kWritesOfCache).map((write: string) => <span key={write} class="token write">{write}</span>)}
            {writes.length > kWritesOfCache && <span class="faint">and {writes.length - kWritesOfCache} more</span>}</div>))}
        {caches.length > kCaches && <span class="faint">{caches.length - kCaches} more caches hold something.</span>}
      </div>
      <h3>Events</h3>
      <ol class="events" aria-label="Events">{around(shown, first, at + kEventsAround).map((one, i) => (
        <li key={one} ref={one === number ? list : undefined} class={`${one === number ? 'now' : ''} ${styleOf(film, one)}`}>
          <button type="button" aria-current={one === number ? 'true' : undefined} onClick={() => go(first + i)}>{one} {eventText(film, one)}</button></li>))}</ol>
    </div>
  );
}
