/**
 * A film of a C++ kernel's run: what the data mean that `heddle trace --film` writes. The lab's page imports this file,
 * and the page of `heddle trace --html` has a copy of it inside.
 *
 * Operations, events and moves are columns: lists of whole numbers, of one length each, as base64 in the data (`bytes`: of one
 * number; of 8 bytes they are doubles). `openFilm` makes arrays of them. `operations.file`, `words`, `buffer`,
 * `element`, `read` and `written` are numbers of `texts`, `agent` one of `agents`, `source` the operation that a read has its
 * value from; -1 is none, and of a source the initial value. `access` adds up READS, WRITES and ATOMIC. An event has its `kind`
 * and its `operation` (of a dispatch: the dispatch's number; of a step of the host's side: its place in `steps`). `moves` are the events behind which a write is somewhere else: in
 * a `cache` (MEMORY: in none any more); of a write that moved there is `how`, and which `element`. `stale` has [read, write that
 * it missed, kind of cache that kept the old copy].
 *
 * `steps` are what the host and the queues of a program do: `track`, `words`, `file` and `line`, `event`, `end` (the first event behind it),
 * `after` (places of steps behind which it comes), and `stale` where it was given old values. `held` is where the writes to a memory
 * are, from an `event` on: in words what the host's `cache` has (`cached`) and how far the last `writes` have come (`domains`), and as numbers.
 *
 * `races` are the data races of the run, the ones that were found in it while it was traced: `title`, `why`, `changes`, `no_change` (why
 * there are none), `excuse` (why it does not count), `again` (the command), `related` races, and `first` and `second`, each with
 * `text`, `where`, `who`, its `operation`, and the `step` that it is part of: -1 for what the film does not have, or where it is none.
 */
const OPERATION = 0, MOVED = 1, PASSES = 2, DISPATCH = 3, STEP = 4;
const READS = 1, WRITES = 2, ATOMIC = 4;
const MEMORY = -1;
const kOperationColumns = ['file', 'line', 'agent', 'words', 'buffer', 'element', 'read', 'written', 'source', 'allocation', 'offset', 'size', 'access'];
const kEventColumns = ['kind', 'operation'], kMoveColumns = ['event', 'cache', 'how', 'element'];

const kNumbers = {1: Int8Array, 2: Int16Array, 4: Int32Array, 8: Float64Array};

function decoded({bytes, data}) {
  if (Uint8Array.fromBase64) return new kNumbers[bytes](Uint8Array.fromBase64(data).buffer);
  const binary = atob(data);
  const array = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) array[i] = binary.charCodeAt(i);
  return new kNumbers[bytes](array.buffer);
}

/** The columns of these names as arrays of numbers; nothing where one is missing or has another length. */
function columnsOf(columns, names) {
  if (typeof columns !== 'object' || columns === null) return null;
  if (!names.every(name => typeof columns[name]?.data === 'string' && kNumbers[columns[name].bytes])) return null;
  const made = Object.fromEntries(names.map(name => [name, decoded(columns[name])]));
  return names.every(name => made[name].length === columns.count) ? made : null;
}

/** The film that these data of `heddle trace --film` are. Throws, with the reason, for data that are none. */
export function openFilm(data) {
  const lists = ['texts', 'caches', 'agents', 'agents_in_short', 'stale'];
  const sound = typeof data === 'object' && data !== null && lists.every(name => Array.isArray(data[name])) && typeof data.sources === 'object';
  const film = sound && {...data, races: data.races ?? [], steps: data.steps ?? [], held: data.held ?? [], operations: columnsOf(data.operations, kOperationColumns), events: columnsOf(data.events, kEventColumns),
    moves: columnsOf(data.moves, kMoveColumns)};
  if (!film || !film.operations || !film.events || !film.moves)
    throw new Error('It is no film of a trace: `heddle trace RUN.trace --film RUN.json` writes one.');
  const {kind, operation} = film.events;
  if (!kind.every((one, i) => one === DISPATCH || operation[i] >= 0 && operation[i] < (one === STEP ? film.steps.length : data.operations.count)))
    throw new Error('This film of a trace is damaged: an event has no operation.');
  return film;
}

/** How many events there are. */
export const eventCount = film => film.events.kind.length;

/** The operation of an event, or -1. */
const operationOf = (film, number) => [DISPATCH, STEP].includes(film.events.kind[number]) ? -1 : film.events.operation[number] ?? -1;

/** The step of the host's side that an event is the begin of; nothing if it is none. */
const stepOf = (film, number) => film.events.kind[number] === STEP ? film.steps[film.events.operation[number]] : undefined;

const known = new WeakMap();
/** What is found out about a film once: the event of an operation, the move of an event, and which reads are stale. */
function index(film) {
  if (!known.has(film)) {
    const {kind, operation} = film.events;
    const eventOf = new Int32Array(film.operations.line.length);
    for (let i = 0; i < kind.length; ++i) if (kind[i] === OPERATION) eventOf[operation[i]] = i;
    const moveAt = new Map();
    film.moves.event.forEach((event, move) => moveAt.set(event, move));
    known.set(film, {eventOf, moveAt, stale: new Map(film.stale.map(([read, missed, keptIn]) => [read, {missed, keptIn}]))});
  }
  return known.get(film);
}

const text = (film, column, operation) => film.texts[film.operations[column][operation]] ?? '';
const fileName = path => path.replace(/^.*\//, '');

/** Where the source of an operation is: file, line (from 1), and the lines of the file; nothing if no line belongs to it. */
export function sourceOf(film, operation) {
  if (operation < 0 || !film.operations.line[operation]) return undefined;
  const file = text(film, 'file', operation);
  return {file, line: film.operations.line[operation], lines: film.sources[file] ?? []};
}

/** Where the source of an event is. */
export function placeOf(film, number) {
  const step = stepOf(film, number);
  if (step) return {file: step.file, line: step.line, lines: film.sources[step.file] ?? []};
  return sourceOf(film, operationOf(film, number));
}

/** The number of the event of an operation. */
export function eventOf(film, operation) {
  return index(film).eventOf[operation];
}

/** What an event is, in a line. */
export function eventText(film, number) {
  const {kind, operation: operations} = film.events;
  const operation = operations[number];
  if (kind[number] === DISPATCH) return `dispatch ${operation} begins`;
  const step = stepOf(film, number);
  if (step) return `${step.track} ${step.words}${step.stale ? ` STALE, ${step.stale}` : ''}  ${fileName(step.file)}:${step.line}`;
  const who = film.agents_in_short[film.operations.agent[operation]];
  if (kind[number] === PASSES) return `${who} passes the barrier, at which it arrived in event ${index(film).eventOf[operation]}`;
  if (kind[number] === MOVED) {
    const move = index(film).moveAt.get(number);
    return `${film.texts[film.moves.element[move]]} of event ${index(film).eventOf[operation]} ${film.texts[film.moves.how[move]]}`;
  }
  const line = film.operations.line[operation];
  const parts = [`${who} ${text(film, 'words', operation)}`];
  if (film.operations.element[operation] >= 0) parts.push(text(film, 'element', operation));
  if (film.operations.read[operation] >= 0) parts.push(`is ${text(film, 'read', operation)}`);
  if (film.operations.written[operation] >= 0) parts.push(`= ${text(film, 'written', operation)}`);
  if (index(film).stale.has(operation)) parts.push('STALE');
  if (line) parts.push(` ${fileName(text(film, 'file', operation))}:${line}`);
  return parts.join(' ');
}

/** How an event is to be shown: 'stale' for a stale read, 'moving' for a write that moves, else nothing. */
export function styleOf(film, number) {
  if (film.events.kind[number] === MOVED) return 'moving';
  if (stepOf(film, number)?.stale) return 'stale';
  return film.events.kind[number] === OPERATION && index(film).stale.has(film.events.operation[number]) ? 'stale' : '';
}

/** The names of all buffers and variables that are accessed, and of all invocations, queues and the host, in the order of the film. */
export function namesOf(film) {
  const buffers = new Set(film.operations.buffer);
  buffers.delete(-1);
  return {buffers: [...buffers].map(number => film.texts[number]), invocations: [...new Set(film.steps.map(step => step.track)), ...film.agents]};
}

/** The numbers of the events that pass a filter: a buffer's name, a part of an invocation's, the first and last number. */
export function passing(film, {buffer = '', who = '', from = '', to = ''}) {
  if (!buffer && !who && from === '' && to === '') return new Uint32Array(eventCount(film)).map((_, number) => number);
  const first = from === '' ? 0 : Number(from);
  const last = to === '' ? Infinity : Number(to);
  const theirs = film.agents.map(name => name.includes(who));
  const passed = [];
  for (let number = Math.max(first, 0); number < eventCount(film) && number <= last; ++number) {
    const step = stepOf(film, number);
    if (step) {
      if (step.track.includes(who) && (!buffer || step.words.includes(`'${buffer}'`))) passed.push(number);
      continue;
    }
    const operation = operationOf(film, number);
    if (buffer && (operation < 0 || text(film, 'buffer', operation) !== buffer)) continue;
    if (who && (operation < 0 || !theirs[film.operations.agent[operation]])) continue;
    passed.push(number);
  }
  return passed;
}

/** Which write waits in which cache (its number) behind an event. */
function waitingAfter(film, number) {
  const waiting = new Map();
  const {event, cache} = film.moves;
  for (let move = 0; move < event.length && event[move] <= number; ++move) {
    if (cache[move] === MEMORY) waiting.delete(film.events.operation[event[move]]);
    else waiting.set(film.events.operation[event[move]], cache[move]);
  }
  return waiting;
}

/** What caches hold behind an event: [name of the cache, [text, ...]], a text for each write that waits there. */
export function heldAfter(film, number) {
  const caches = new Map();
  for (const [write, cache] of waitingAfter(film, number))
    caches.set(cache, [...caches.get(cache) ?? [], `${text(film, 'element', write)} = ${text(film, 'written', write)} of event ${index(film).eventOf[write]}`]);
  const held = new Map();
  for (const one of film.held) {
    if (one.event > number + 1) break;
    held.set(one.cache, [one.cached]).set(one.writes, [one.domains]);
  }
  return [...[...caches].map(([cache, texts]) => [film.caches[cache], texts]), ...held];
}

/** More steps are never drawn at once. */
const kStepsAround = 40;

/** The slices of a list in tracks in which none overlaps another. */
function stacked(name, slices) {
  const tracks = [];
  for (const slice of slices) {
    const free = tracks.find(track => track.slices.at(-1).end <= slice.begin);
    if (free) free.slices.push(slice); else tracks.push({name: tracks.length === 0 ? name : `${name}, at the same time`, slices: [slice]});
  }
  return tracks;
}

/** From one change to the next: a slice where `label` says anything. */
function heldSlices(changes, until, label, title) {
  return changes.map((one, i) => ({begin: one.event, end: changes[i + 1]?.event ?? until, label: label(one), title: title(one), style: 'held'}))
    .filter(({begin, end, label: text}) => text && begin < end);
}

const counted = (...parts) => parts.filter(([count]) => count > 0).map(([count, words]) => `${count} ${words}`).join(', ');

/**
 * The tracks of the host's side around an event: [{name, slices}], a track for the host, for each queue, for the host's cache of each memory, and
 * for how far the last writes to it have come. A slice has `begin`, `end` (numbers of events), `label`, `title` and `style`, and one of a step its place `step`.
 */
export function tracksOf(film, number) {
  const last = film.steps.findLastIndex(step => step.event <= number);
  const first = Math.max(0, last - kStepsAround);
  const shown = film.steps.slice(first, last + kStepsAround);
  if (shown.length === 0) return [];
  const places = new Map(shown.map((step, i) => [step, first + i]));
  const until = Math.max(...shown.map(step => step.end));
  const byName = Map.groupBy ? Map.groupBy(shown, step => step.track) : shown.reduce((all, step) => all.set(step.track, [...all.get(step.track) ?? [], step]), new Map());
  const tracks = [...byName].sort(([a], [b]) => a < b ? -1 : 1).flatMap(([name, steps]) => stacked(name, steps.map(step => (
    {begin: step.event, end: step.end, label: step.words, title: `${step.words}${step.stale ? ` STALE, ${step.stale}` : ''}`, style: step.stale ? 'stale' : 'step', step: places.get(step)}))));
  for (const cache of new Set(film.held.map(one => one.cache))) {
    const changes = film.held.filter(one => one.cache === cache && one.event <= until);
    tracks.push({name: cache, slices: heldSlices(changes, until, one => counted([one.unflushed, 'not flushed'], [one.outdated, 'old']), one => one.cached)});
    tracks.push({name: changes[0]?.writes ?? '', slices: heldSlices(changes, until,
      one => counted([one.unavailable, 'in no domain'], [one.device_only, 'device alone'], [one.host_only, 'host alone']), one => one.domains)});
  }
  const begin = shown[0].event;
  return tracks.map(({name, slices}) => ({name, slices: slices.filter(slice => slice.end > begin).map(slice => ({...slice, begin: Math.max(slice.begin, begin)}))}))
    .filter(({slices}) => slices.length > 0);
}

const escaped = words => words.replace(/[&<>"]/g, one => ({'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;'})[one]);

/**
 * The tracks around an event as SVG, '' where the film has no host's side. Columns are begins and ends of slices, in their order: a kernel with many events is as
 * wide as any. Slices of steps have `data-event`, and arrows go from what a step comes behind to the step.
 */
export function tracksSvg(film, number) {
  const tracks = tracksOf(film, number);
  if (tracks.length === 0) return '';
  const kColumn = 92, kRow = 24, kNames = 190, kLetters = 13;
  const columns = [...new Set(tracks.flatMap(({slices}) => slices.flatMap(({begin, end}) => [begin, end])))].sort((a, b) => a - b);
  const columnOf = new Map(columns.map((event, i) => [event, i]));
  const x = event => kNames + columnOf.get(event) * kColumn;
  const at = new Map();
  const parts = tracks.flatMap(({name, slices}, row) => {
    const y = row * kRow;
    return [`<text class="name" x="4" y="${y + 16}">${escaped(name)}</text>`, ...slices.map(slice => {
      if (slice.step !== undefined) at.set(slice.step, {slice, y});
      const wide = columnOf.get(slice.end) - columnOf.get(slice.begin);
      const letters = kLetters * wide;
      const label = slice.label.length > letters ? `${slice.label.slice(0, letters - 1)}\u2026` : slice.label;
      const event = slice.step === undefined ? '' : ` data-event="${slice.begin}" tabindex="0" role="button" aria-label="${escaped(`event ${slice.begin}: ${slice.title}`)}"`;
      const now = slice.step !== undefined && slice.begin === number ? ' now' : '';
      return `<g class="${slice.style}${now}"${event}><title>${escaped(slice.title)}</title><rect x="${x(slice.begin) + 1}" y="${y + 2}" width="${wide * kColumn - 2}" height="${kRow - 5}" rx="3"/><text x="${x(slice.begin) + 5}" y="${y + 16}">${escaped(label)}</text></g>`;
    })];
  });
  const arrows = [...at].flatMap(([step, to]) => film.steps[step].after.filter(one => at.has(one)).map(one => {
    const from = at.get(one);
    const end = Math.max(x(to.slice.begin), from.slice.begin >= to.slice.begin ? x(to.slice.end) : 0);
    return `<path class="order" d="M${x(from.slice.begin) + kColumn - 4},${from.y + kRow / 2} L${end + 1},${to.y + kRow / 2}" marker-end="url(#order-head)"/>`;
  }));
  const width = kNames + columns.length * kColumn, height = tracks.length * kRow;
  return `<svg class="tracks" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="group" aria-label="Host and queues"><defs><marker id="order-head" viewBox="0 0 6 6" refX="6" refY="3" markerWidth="6" markerHeight="6" orient="auto"><path d="M0,0 L6,3 L0,6 z"/></marker></defs>${parts.join('')}${arrows.join('')}</svg>`;
}

function writtenText(film, write) {
  if (write < 0) return 'the initial value';
  return `${text(film, 'element', write)} = ${text(film, 'written', write)} (event ${index(film).eventOf[write]}, ${film.agents[film.operations.agent[write]]})`;
}

function overlap({operations: {allocation, offset, size}}, a, b) {
  return allocation[a] === allocation[b] && offset[a] < offset[b] + size[b] && offset[b] < offset[a] + size[a];
}

/** When what a read was served went stale, or when a write was overtaken: some lines of text. */
export function staleStory(film, number) {
  const asked = operationOf(film, number);
  const access = film.operations.access;
  if (asked < 0 || (access[asked] & (READS | WRITES)) === 0) return 'This event is no access: there is nothing to go stale.';
  const reads = (access[asked] & READS) !== 0;
  const from = reads ? film.operations.source[asked] : asked;
  const stale = index(film).stale.get(asked);
  let story = `Event ${number} ${reads ? 'reads' : 'is'} ${writtenText(film, from)}.\n`;
  let overtaken = false;
  for (let i = 0; i < eventCount(film); ++i) {
    const kind = film.events.kind[i];
    const move = index(film).moveAt.get(i);
    const other = operationOf(film, i);
    if (reads && kind === OPERATION && other === asked)
      return story + `event ${i}: this read` + (stale ? `: its copy is stale, ${writtenText(film, stale.missed)} had been in reach`
        : overtaken ? ': nothing newer was in reach' : ': it is not stale');
    if (other < 0 || (access[other] & WRITES) === 0 || !overlap(film, other, asked) || other === from || from >= 0 && other < from) continue;
    if (kind === OPERATION)
      story += `event ${i}: ${writtenText(film, other)} is written${move === undefined ? ', and is in memory at once' : ", and waits in its writer's own cache"}\n`;
    else if (kind === MOVED)
      story += `event ${i}: what event ${index(film).eventOf[other]} wrote comes to ${film.moves.cache[move] === MEMORY ? 'memory' : film.caches[film.moves.cache[move]]}: older copies there are stale from here on\n`;
    else continue;
    overtaken = true;
  }
  return overtaken ? story : story + 'No later write to these bytes is in the trace: it never went stale.';
}

/** The index in `shown` (numbers of events) of the stale read that is next behind `at` (direction 1) or before it (-1), or -1. */
export function staleFrom(film, shown, at, direction) {
  for (let i = at + direction; i >= 0 && i < shown.length; i += direction) if (styleOf(film, shown[i]) === 'stale') return i;
  return -1;
}

/** The index in `shown` of the next event, from `at` on and around the end, whose text has the word, or -1. */
export function found(film, shown, at, word) {
  for (let k = 0; k < shown.length; ++k) {
    const i = (at + k) % shown.length;
    if (eventText(film, shown[i]).includes(word)) return i;
  }
  return -1;
}

/** The index in `shown`, which ascends, of the event that is nearest to one, from it on. */
export function nearest(shown, number) {
  let low = 0, high = shown.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (shown[middle] >= number) high = middle; else low = middle + 1;
  }
  return low === shown.length ? Math.max(shown.length - 1, 0) : low;
}

/** Follows a film: calls `visit(event, operation, waiting, last)` for each read, before the read; `last` tells the last write of an operation's first bytes. */
function followReads(film, visit) {
  const {kind, operation} = film.events;
  const {access, allocation, offset, size} = film.operations;
  const waiting = new Map();
  const written = new Map();
  const wordsOf = one => {
    if (!written.has(allocation[one])) written.set(allocation[one], new Map());
    return written.get(allocation[one]);
  };
  for (let i = 0, move = 0; i < kind.length; ++i) {
    const one = operation[i];
    if (kind[i] === OPERATION && (access[one] & READS) !== 0) visit(i, one, waiting, wordsOf(one).get(offset[one] >> 2) ?? -1);
    if (kind[i] === OPERATION && (access[one] & WRITES) !== 0)
      for (let word = offset[one] >> 2; word <= (offset[one] + size[one] - 1) >> 2; ++word) wordsOf(one).set(word, one);
    if (film.moves.event[move] !== i) continue;
    const cache = film.moves.cache[move++];
    if (cache === MEMORY) waiting.delete(one); else waiting.set(one, cache);
  }
}

/**
 * The reads that did not have the newest value, in the order of the film: {event, operation, kind, missed, where}. A `stale` one
 * had an old copy though the newer write had come; an `early` one came before the newer write, which still waits in the
 * cache `where`. A `poll` is an early one that is atomic: a loop that waits for a flag makes many.
 */
export function wrongReads(film) {
  const {access, source, agent} = film.operations;
  const wrong = [];
  const {stale} = index(film);
  followReads(film, (event, operation, waiting, last) => {
    const old = stale.get(operation);
    if (old) wrong.push({event, operation, kind: 'stale', missed: old.missed, where: null});
    else if (last > source[operation] && waiting.has(last) && agent[last] !== agent[operation])
      wrong.push({event, operation, kind: access[operation] & ATOMIC ? 'poll' : 'early', missed: last, where: waiting.get(last)});
  });
  return wrong;
}

/** A read and what it missed, in parts: who read, the copy that it took, the write that it missed and where that is, and why. */
export function wrongStory(film, read) {
  const {operation, missed, kind, where} = read;
  const {agent, source} = film.operations;
  const value = write => write < 0 ? `${text(film, 'element', operation)} at first` : `${text(film, 'element', write)} = ${text(film, 'written', write)}`;
  const reader = film.agents[agent[operation]];
  const writer = film.agents[agent[missed]];
  const keptIn = (index(film).stale.get(operation)?.keptIn ?? '').replace(/^agent$/, 'own cache');
  const came = [...index(film).moveAt].filter(([event]) => event < read.event && film.events.operation[event] === missed).pop();
  const place = where !== null ? film.caches[where] : came && film.moves.cache[came[1]] !== MEMORY ? film.caches[film.moves.cache[came[1]]] : 'memory';
  const why = kind === 'stale'
    ? `The newer value had come to ${place}${came ? ` in event ${came[0]}` : ''}, within reach of the reader. The reader's ${keptIn} still had its old copy, and nothing had made the reader give it up: an acquire with MakeVisible does that, behind the writer's release.`
    : `The newer value was written in event ${index(film).eventOf[missed]}, and at this read it still waits here: nothing had made it available to the reader. A release with MakeAvailable by the writer does that, if the reader acquires what it releases.`;
  return {
    reader, writer, place, why,
    took: {text: `${text(film, 'element', operation)} = ${text(film, 'read', operation)}`, from: value(source[operation]), write: source[operation], event: index(film).eventOf[source[operation]] ?? -1,
      place: kind === 'stale' ? `the reader's ${keptIn}` : 'what the reader can reach'},
    missed: {text: value(missed), write: missed, event: index(film).eventOf[missed]},
  };
}

/** The event of an access of a race, or -1 if the film does not have it. */
export function eventOfAccess(film, access) {
  if (access.operation >= 0) return index(film).eventOf[access.operation];
  return access.step >= 0 ? film.steps[access.step].event : -1;
}

/** The event at which a race happens: that of the access which comes later; -1 if the film has neither. */
export function eventOfRace(film, race) {
  return Math.max(eventOfAccess(film, race.first), eventOfAccess(film, race.second));
}

/** What is said of a race, line by line: {label, text, event}; `event` is the one to look at, or -1. */
export function raceLines(film, race) {
  const access = (label, one) => {
    const event = eventOfAccess(film, one);
    return {label, event, text: `${event < 0 ? '' : `event ${event}, `}${one.text} at ${one.where}, by ${one.who}`};
  };
  const line = (label, text) => ({label, text, event: -1});
  return [
    ...race.excuse ? [line('suppressed', race.excuse)] : [],
    access('first', race.first),
    access('second', race.second),
    line('why', race.why),
    ...race.changes.map((change, i) => line(i === 0 ? 'change' : 'or', change)),
    ...race.no_change ? [line(race.changes.length ? 'but' : 'change', race.changes.length ? race.no_change : `none: ${race.no_change}`)] : [],
    ...race.related.map(other => ({label: 'also', text: other.title, event: eventOfRace(film, other)})),
    ...race.again ? [line('again', race.again)] : [],
  ];
}

/** The numbers of the last `most` events of an invocation up to an event. */
export function eventsBefore(film, agent, number, most) {
  const events = [];
  for (let i = number; i >= 0 && events.length < most; --i) {
    const operation = operationOf(film, i);
    if (operation >= 0 && film.events.kind[i] === OPERATION && film.operations.agent[operation] === agent) events.unshift(i);
  }
  return events;
}
