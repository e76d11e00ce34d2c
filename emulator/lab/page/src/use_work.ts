/** The test in the editor, and the list of one's own tests. */
import {useEffect, useState} from 'preact/hooks';
import type {SharedTest} from './link';
import {example, kExamples} from './library';
import {keep, kept} from './store';
import {addTest, changed, opening, ownTests, updateTest, type OwnTest, type Work} from './works';

/** What was in the editor when the page was left. */
function firstWork(): Work {
  const first = example('1-message')!;
  const own = kept<string | null>('own', null);
  const name = kept('name', first.name);
  const text = kept('text', first.text);
  const known = own !== null && ownTests().some(test => test.id === own);
  if (known || example(name)?.text === text) return opening(known ? own : null, name, text);
  return opening(null, name, text);
}

export function useWork() {
  const [work, setWork] = useState<Work>(firstWork);
  const [tests, setTests] = useState<OwnTest[]>(ownTests);
  useEffect(() => {
    keep('own', work.own);
    keep('name', work.name);
    keep('text', work.text);
    updateTest(work);
    setTests(ownTests());
  }, [work]);

  const openTest = (test: OwnTest) => setWork(opening(test.id, test.name, test.text));
  return {
    work, tests, setWork, openTest,
    refresh: () => setTests(ownTests()),
    openText: (name: string, text: string) => setWork(opening(null, name, text)),
    write: (text: string) => setWork(before => before.text === text ? before : changed(before, text)),
    /** A change that can be taken back with the browser's "back". */
    replace: (text: string) => setWork(before => ({...changed(before, text), opened: opening(null, '', '').opened})),
    rename: (name: string) => setWork(before => ({...changed(before, before.text), name})),
    /** Opens what a link brings beside what was there. */
    openShared: (shared: SharedTest[], title: string) => {
      const known = shared.length === 1 ? kExamples.find(one => one.text === shared[0].text) : undefined;
      if (known) return setWork(opening(null, known.name, known.text));
      const [first] = shared.map(({name, text}) => addTest(name, text, title));
      setWork(opening(first.id, first.name, first.text));
    },
  };
}
