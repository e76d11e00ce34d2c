/** The head of the page: examples and tests of one's own, the link, and how the page looks. */
import {useEffect, useState} from 'preact/hooks';
import {kGroups, example, type Example} from './library';
import {MyTests} from './my_tests';
import {keep, kept} from './store';
import type {OwnTest, Work} from './works';

type Theme = 'auto' | 'light' | 'dark';

interface Props {
  work: Work;
  tests: OwnTest[];
  onExample: (one: Example) => void;
  onTest: (test: OwnTest) => void;
  onTests: () => void;
  onShare: () => void;
  onListLink: (tests: OwnTest[], title: string) => void;
  onNotice: (text: string) => void;
}

function Look() {
  const [theme, setTheme] = useState<Theme>(() => kept('theme', 'auto'));
  const [classroom, setClassroom] = useState(() => kept('classroom', false));
  useEffect(() => {
    keep('theme', theme);
    document.documentElement.dataset.theme = theme;
  }, [theme]);
  useEffect(() => {
    keep('classroom', classroom);
    document.documentElement.classList.toggle('classroom', classroom);
    // Drawings fit themselves to the size of the text.
    dispatchEvent(new Event('resize'));
  }, [classroom]);
  return (
    <>
      <label><span class="hidden">Theme </span><select value={theme} onChange={event => setTheme(event.currentTarget.value as Theme)}>
        <option value="auto">System</option><option value="light">Light</option><option value="dark">Dark</option>
      </select></label>
      <button type="button" aria-pressed={classroom} onClick={() => setClassroom(!classroom)}>Classroom</button>
    </>
  );
}

export function Header({work, tests, onExample, onTest, onTests, onShare, onListLink, onNotice}: Props) {
  const chosen = work.own ? `own:${work.own}` : example(work.name)?.text === work.text ? work.name : '';
  const choose = (value: string) => {
    const own = tests.find(test => value === `own:${test.id}`);
    const one = example(value);
    if (own) onTest(own);
    else if (one) onExample(one);
  };
  return (
    <header>
      <h1>heddle <span>lab</span></h1>
      <label class="library"><span class="words">Examples</span> <select aria-label="Examples" value={chosen} onChange={event => choose(event.currentTarget.value)}>
        {chosen === '' && <option value="">({work.name})</option>}
        {tests.length > 0 && <optgroup label="My tests">{tests.map(test => <option key={test.id} value={`own:${test.id}`}>{test.name}</option>)}</optgroup>}
        {kGroups.map(group => (
          <optgroup key={group.title} label={group.title}>
            {group.examples.map(one => <option key={one.name} value={one.name}>{one.name}</option>)}
          </optgroup>
        ))}
      </select></label>
      <MyTests tests={tests} now={work.own} onOpen={onTest} onChange={onTests} onLink={onListLink} onNotice={onNotice} />
      <span class="grow" />
      <button type="button" onClick={onShare}>Link</button>
      <Look />
    </header>
  );
}
