/** Tests of one's own: a list that the browser keeps, and that goes into a file and comes out of one. */
import {keep, kept} from './store';

export interface OwnTest {
  id: string;
  name: string;
  text: string;
  /** The list that it came with; empty for what was written here. */
  list: string;
}

/** What is in the editor. `own` is the id of a test of one's own, null for an example as it came. */
export interface Work {
  own: string | null;
  name: string;
  text: string;
  /** Another number for each time that a text is opened, so that back and forward can tell. */
  opened: number;
}

let opened = Date.now();

export const opening = (own: string | null, name: string, text: string): Work => ({own, name, text, opened: ++opened});

export function ownTests(): OwnTest[] {
  return kept<OwnTest[]>('tests', []);
}

function keepTests(tests: OwnTest[]) {
  keep('tests', tests);
}

function freshName(name: string, tests: OwnTest[]): string {
  const taken = new Set(tests.map(one => one.name));
  for (let i = 1; ; ++i) {
    const tried = i === 1 ? name : `${name}-${i}`;
    if (!taken.has(tried)) return tried;
  }
}

/** Adds a test to the list; one with the same text and list is not added again. */
export function addTest(name: string, text: string, list = ''): OwnTest {
  const tests = ownTests();
  const known = tests.find(one => one.text === text && one.list === list);
  if (known) return known;
  const added = {id: crypto.randomUUID?.() ?? `${Date.now()}.${tests.length}`, name: freshName(name, tests), text, list};
  keepTests([...tests, added]);
  return added;
}

/** Keeps what was written into a test of one's own. */
export function updateTest({own, name, text}: Work) {
  const tests = ownTests();
  const mine = tests.find(one => one.id === own);
  if (mine && (mine.name !== name || mine.text !== text)) keepTests(tests.map(one => one === mine ? {...mine, name, text} : one));
}

export function removeTest(id: string) {
  keepTests(ownTests().filter(one => one.id !== id));
}

/** The work after a change: an example that is changed becomes a test of one's own, beside the example. */
export function changed(work: Work, text: string): Work {
  if (work.own !== null) return {...work, text};
  const own = addTest(`${work.name}-mine`, text);
  return {...work, own: own.id, name: own.name, text};
}

/** What a file holds of tests. */
export function testsFile(tests: {name: string; text: string; list: string}[]): string {
  return `${JSON.stringify({heddle_tests: tests.map(({name, text, list}) => ({name, text, list}))}, null, 1)}\n`;
}

/** The tests in a file of the lab, or the one test of a litmus file or of a module's text. Throws, with the reason, for a file that is neither. */
export function testsOf(content: string, fileName: string): {name: string; text: string; list: string}[] {
  if (/^\x03\x02#\x07|^\x07#\x02\x03/.test(content))
    throw new Error(`${fileName} is a binary module: open what \`spirv-dis ${fileName}\` prints.`);
  if (!/^\s*\{/.test(content)) return [{name: fileName.replace(/\.\w+$/, ''), text: content, list: ''}];
  let tests: unknown;
  try {
    tests = (JSON.parse(content) as {heddle_tests?: unknown}).heddle_tests;
  } catch (error) {
    throw new Error(`${fileName} is damaged (${(error as Error).message}).`);
  }
  if (!Array.isArray(tests) || tests.some(one => typeof one?.text !== 'string' || typeof one?.name !== 'string'))
    throw new Error(`${fileName} has no tests: "Save as a file" writes one that has.`);
  return tests.map(({name, text, list}) => ({name, text, list: typeof list === 'string' ? list : ''}));
}
