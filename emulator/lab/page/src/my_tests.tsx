/** The list of one's own tests: to open, rename and remove, as a file, and as one link for a class. */
import {useEffect, useRef, useState} from 'preact/hooks';
import {saveText} from './save_file';
import {addTest, removeTest, testsFile, testsOf, type OwnTest} from './works';

interface Props {
  tests: OwnTest[];
  now: string | null;
  onOpen: (test: OwnTest) => void;
  /** The list has changed. */
  onChange: () => void;
  onLink: (tests: OwnTest[], title: string) => void;
  onNotice: (text: string) => void;
}

function Row({test, now, chosen, onChoose, onOpen, onRemove}: {
  test: OwnTest; now: boolean; chosen: boolean; onChoose: () => void; onOpen: () => void; onRemove: () => void;
}) {
  return (
    <li>
      <input type="checkbox" checked={chosen} aria-label={`Choose ${test.name}`} onChange={onChoose} />
      <button type="button" class="test" aria-current={now ? 'true' : undefined} onClick={onOpen}>{test.name}</button>
      {test.list && <span class="faint">{test.list}</span>}
      <button type="button" class="small" aria-label={`Remove ${test.name}`} onClick={onRemove}>×</button>
    </li>
  );
}

/** Closes the list for Escape and for a click elsewhere. */
function useClosing(list: {current: HTMLDetailsElement | null}) {
  const close = () => list.current?.removeAttribute('open');
  useEffect(() => {
    const elsewhere = (event: Event) => !list.current?.contains(event.target as Node) && close();
    addEventListener('pointerdown', elsewhere);
    return () => removeEventListener('pointerdown', elsewhere);
  }, []);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    close();
    list.current?.querySelector('summary')?.focus();
  };
  return {close, onKeyDown};
}

export function MyTests({tests, now, onOpen, onChange, onLink, onNotice}: Props) {
  const [chosen, setChosen] = useState<string[]>([]);
  const [title, setTitle] = useState('');
  const list = useRef<HTMLDetailsElement>(null);
  const {close, onKeyDown} = useClosing(list);
  const picked = tests.filter(one => chosen.includes(one.id));
  const takes = picked.length > 0 ? picked : tests;
  const add = async (files: FileList | null) => {
    try {
      let count = 0;
      for (const file of files ?? []) for (const one of testsOf(await file.text(), file.name)) {
        addTest(one.name, one.text, one.list);
        ++count;
      }
      onChange();
      onNotice(`${count} ${count === 1 ? 'test is' : 'tests are'} in your list.`);
    } catch (error) {
      onNotice((error as Error).message);
    }
  };
  const remove = (test: OwnTest) => {
    if (!confirm(`Remove ${test.name} for good?`)) return;
    removeTest(test.id);
    onChange();
  };
  const words = picked.length > 0 ? `the ${picked.length} chosen` : `all ${tests.length}`;
  return (
    <details class="popup" ref={list} onKeyDown={onKeyDown}>
      <summary>My tests ({tests.length})</summary>
      <div role="group" aria-label="My tests">
        {tests.length === 0 && <p class="faint">An example that you change, and a test that a link brings, come here.</p>}
        <ul class="mine">{tests.map(test => (
          <Row key={test.id} test={test} now={test.id === now} chosen={chosen.includes(test.id)} onOpen={() => (close(), onOpen(test))} onRemove={() => remove(test)}
               onChoose={() => setChosen(chosen.includes(test.id) ? chosen.filter(one => one !== test.id) : [...chosen, test.id])} />))}</ul>
        <div class="row">
          <button type="button" class="small" disabled={tests.length === 0} onClick={() => saveText(testsFile(takes), 'heddle-tests.json', 'application/json')}>Save as a file ({words})</button>
          <label>Open a file of tests <input type="file" multiple accept=".json,.litmus,.spvasm,application/json,text/plain" onChange={event => {
            void add(event.currentTarget.files);
            event.currentTarget.value = '';
          }} /></label>
        </div>
        <div class="row">
          <label>Title of the list <input value={title} onInput={event => setTitle(event.currentTarget.value)} placeholder="Exercises of week 3" /></label>
          <button type="button" class="small" disabled={tests.length === 0} onClick={() => onLink(takes, title.trim())}>One link to {words}</button>
        </div>
      </div>
    </details>
  );
}

