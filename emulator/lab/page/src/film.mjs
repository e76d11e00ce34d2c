/**
 * A film of a C++ kernel's run: what the data mean that `heddle trace --film` writes. The lab's page imports this file,
 * and the page of `heddle trace --html` has a copy of it inside.
 *
 * An event is [kind, operation, text], and one that changes a cache has a fourth part: the cache's number, or null for
 * memory. An operation is a list; the names of its parts are below.
 */
const [FILE, LINE, BUFFER, WHO, ELEMENT, VALUE, MISSED, SOURCE, OFFSET, SIZE, ALLOCATION, ACCESS] = [...Array(12).keys()];
const OPERATION = 0, MOVED = 1, DISPATCH = 3;
const READS = 1, WRITES = 2;

/** Why these data are no film; empty if they are one. */
export function whyNoFilm(data) {
  const lists = ['texts', 'caches', 'events', 'operations'];
  if (typeof data !== 'object' || data === null || !lists.every(name => Array.isArray(data[name])) || typeof data.sources !== 'object')
    return 'It is no film of a trace: `heddle trace RUN.trace --film RUN.json` writes one.';
  const sound = data.events.every(event => Array.isArray(event) && (event[0] === DISPATCH || Array.isArray(data.operations[event[1]])));
  return sound ? '' : 'This film of a trace is damaged: an event has no operation.';
}

const operationOf = (film, event) => event[0] === DISPATCH ? undefined : film.operations[event[1]];

/** Where the source of an event is: file, line (from 1), and the lines of the file; nothing if no line belongs to it. */
export function placeOf(film, number) {
  const operation = film.events[number] && operationOf(film, film.events[number]);
  if (!operation || !operation[LINE]) return undefined;
  const file = film.texts[operation[FILE]];
  return {file, line: operation[LINE], lines: film.sources[file] ?? []};
}

/** How an event is to be shown: 'stale' for a stale read, 'moving' for a write that moves, else nothing. */
export function styleOf(film, number) {
  const event = film.events[number];
  if (event[0] === MOVED) return 'moving';
  return event[0] === OPERATION && operationOf(film, event)[MISSED] !== -1 ? 'stale' : '';
}

/** The names of all buffers and variables that are accessed, and of all invocations, in the order of the film. */
export function namesOf(film) {
  const buffers = new Set(), invocations = new Set();
  for (const operation of film.operations) {
    if (operation[ACCESS] !== 0) buffers.add(film.texts[operation[BUFFER]]);
    invocations.add(film.texts[operation[WHO]]);
  }
  return {buffers: [...buffers], invocations: [...invocations]};
}

/** The numbers of the events that pass a filter: a buffer's name, a part of an invocation's, the first and last number. */
export function passing(film, {buffer = '', who = '', from = '', to = ''}) {
  const passed = [];
  film.events.forEach((event, number) => {
    if (from !== '' && number < Number(from) || to !== '' && number > Number(to)) return;
    const operation = operationOf(film, event);
    if (buffer && (!operation || film.texts[operation[BUFFER]] !== buffer)) return;
    if (who && (!operation || !film.texts[operation[WHO]].includes(who))) return;
    passed.push(number);
  });
  return passed;
}

/** What caches hold behind an event: [name of the cache, [text, ...]], a text for each write that waits there. */
export function heldAfter(film, number) {
  const lines = new Map();
  for (let i = 0; i <= number && i < film.events.length; ++i) {
    const event = film.events[i];
    if (event.length < 4) continue;
    if (event[3] === null) lines.delete(event[1]); else lines.set(event[1], event[3]);
  }
  const caches = new Map();
  for (const [write, cache] of lines) {
    const operation = film.operations[write];
    caches.set(cache, [...caches.get(cache) ?? [], `${operation[ELEMENT]} = ${operation[VALUE]}  #${write}`]);
  }
  return [...caches].map(([cache, texts]) => [film.caches[cache], texts]);
}

function writtenText(film, write) {
  if (write < 0) return 'the initial value';
  const operation = film.operations[write];
  return `${operation[ELEMENT]} = ${operation[VALUE]} (#${write}, ${film.texts[operation[WHO]]})`;
}

const overlap = (a, b) => a[ALLOCATION] === b[ALLOCATION] && a[OFFSET] < b[OFFSET] + b[SIZE] && b[OFFSET] < a[OFFSET] + a[SIZE];

/** When what a read was served went stale, or when a write was overtaken: some lines of text. */
export function staleStory(film, number) {
  const event = film.events[number];
  const asked = event && operationOf(film, event);
  if (!asked || asked[ACCESS] === 0) return 'This event is no access: there is nothing to go stale.';
  const reads = (asked[ACCESS] & READS) !== 0;
  const from = reads ? asked[SOURCE] : event[1];
  let text = `#${event[1]} ${reads ? 'reads' : 'is'} ${writtenText(film, from)}.\n`;
  let overtaken = false;
  for (let i = 0; i < film.events.length; ++i) {
    const [kind, operation] = film.events[i];
    if (reads && kind === OPERATION && operation === event[1])
      return text + `event ${i}: this read` + (asked[MISSED] !== -1 ? `: its copy is stale, ${writtenText(film, asked[MISSED])} had been in reach`
        : overtaken ? ': nothing newer was in reach' : ': it is not stale');
    const other = operationOf(film, film.events[i]);
    if (!other || (other[ACCESS] & WRITES) === 0 || !overlap(other, asked) || operation === from || from >= 0 && operation < from) continue;
    const cache = film.events[i][3];
    if (kind === OPERATION)
      text += `event ${i}: ${writtenText(film, operation)} is written${cache === undefined ? ', and is in memory at once' : ", and waits in its writer's own cache"}\n`;
    else if (kind === MOVED)
      text += `event ${i}: #${operation} comes to ${cache === null ? 'memory' : film.caches[cache]}: older copies there are stale from here on\n`;
    else continue;
    overtaken = true;
  }
  return overtaken ? text : text + 'No later write to these bytes is in the trace: it never went stale.';
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
    if (film.events[shown[i]][2].includes(word)) return i;
  }
  return -1;
}

/** The index in `shown` that is nearest to an event, from it on. */
export function nearest(shown, number) {
  const at = shown.findIndex(one => one >= number);
  return at < 0 ? Math.max(shown.length - 1, 0) : at;
}
