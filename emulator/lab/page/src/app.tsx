/** The page. */
import {useCallback, useEffect, useMemo, useRef, useState} from 'preact/hooks';
import type {Answer, Change, Policy, Totals} from './answer';
import {placed} from './answer';
import {ChallengePanel} from './challenge_panel';
import {CoursePanel} from './course_panel';
import {Editor, applied, type Problem} from './editor';
import {Engine, EngineStopped} from './engine';
import {warmUp} from './graph';
import {kGroups, example, type Example} from './library';
import {fromLink, toLink, type Shared} from './link';
import {PlayPanel, type Task} from './play_panel';
import {RunPanel} from './run_panel';
import {runLive, type Row} from './runs';
import {keep, kept} from './store';
import {SourceView, TracePanel, type Watched} from './trace_panel';
import {WhyPanel} from './why_panel';

const kTabs = [['run', 'Run'], ['why', 'Why'], ['play', 'Play'], ['challenges', 'Challenges'], ['course', 'Course'],
  ['kernels', 'Kernels']] as const;
type Tab = typeof kTabs[number][0];
type Theme = 'auto' | 'light' | 'dark';

function problemsOf(answer: Answer | null): Problem[] {
  const texts: [string, Problem['severity']][] = [];
  if (answer?.error) texts.push([answer.error, 'error']);
  for (const warning of answer?.warnings ?? []) texts.push([warning, 'warning']);
  return texts.flatMap(([text, severity]) => {
    const at = placed(text);
    return at ? [{...at, severity}] : [];
  });
}

/** `asker` answers while one writes; runs have an engine of their own. */
export function App({asker}: {asker: Engine}) {
  const runner = useMemo(() => new Engine(), []);
  const first = example('1-message')!;
  const [text, setText] = useState(() => kept('text', first.text));
  const [name, setName] = useState(() => kept('name', first.name));
  const [tab, setTab] = useState<Tab>(() => kept<Tab>('tab', 'run'));
  const [lesson, setLesson] = useState(() => kept('lesson', 0));
  const [answer, setAnswer] = useState<Answer | null>(null);
  const [checked, setChecked] = useState<Answer | null>(null);
  const [busy, setBusy] = useState(false);
  const [notice, setNotice] = useState('');
  const [policies, setPolicies] = useState<Policy[]>([]);
  const [chosen, setChosen] = useState<string[]>(() => kept('policies', ['sequential', 'random', 'adversarial']));
  const [runs, setRuns] = useState(() => kept('runs', 10000));
  const [seed, setSeed] = useState(() => kept('seed', 1));
  const [totals, setTotals] = useState<Record<string, Totals>>({});
  const [running, setRunning] = useState(false);
  const [runProblem, setRunProblem] = useState('');
  const [theme, setTheme] = useState<Theme>(() => kept('theme', 'auto'));
  const [classroom, setClassroom] = useState(() => kept('classroom', false));
  const [task, setTask] = useState<Task | null>(null);
  const [moves, setMoves] = useState<string[]>([]);
  const [watched, setWatched] = useState<Watched | null>(null);
  const results = useRef<HTMLElement>(null);
  const clicked = useRef(0);
  const round = useRef(0);

  useEffect(() => keep('text', text), [text]);
  useEffect(() => keep('name', name), [name]);
  useEffect(() => keep('tab', tab), [tab]);
  useEffect(() => keep('lesson', lesson), [lesson]);
  useEffect(() => {
    keep('theme', theme);
    document.documentElement.dataset.theme = theme;
  }, [theme]);
  useEffect(() => {
    keep('classroom', classroom);
    document.documentElement.classList.toggle('classroom', classroom);
  }, [classroom]);
  useEffect(() => {
    keep('policies', chosen);
    keep('runs', runs);
    keep('seed', seed);
  }, [chosen, runs, seed]);

  const load = useCallback((state: Shared) => {
    setText(state.text);
    setName(state.name ?? 'shared');
    if (state.seed !== undefined) setSeed(state.seed);
    if (state.runs !== undefined) setRuns(state.runs);
    if (kTabs.some(([key]) => key === state.tab)) setTab(state.tab as Tab);
    setTask(state.moves ? {kind: 'moves', moves: state.moves, text: state.text} : null);
    setAnswer(null);
  }, []);

  useEffect(() => {
    const read = () => location.hash === '#kernels' ? setTab('kernels') : fromLink(location.hash).then(state => state && load(state), error => setNotice(error.message));
    void read();
    addEventListener('hashchange', read);
    // What is needed next comes behind what is needed first, and takes nothing from the first answer.
    const begin = () => {
      runner.begin();
      warmUp().catch(() => {});
    };
    asker.policies().then(all => (setPolicies(all), setTimeout(begin, 3000)), error => setNotice(error.message));
    return () => removeEventListener('hashchange', read);
  }, []);

  // Errors in place while one writes: a search that stops at the first execution.
  useEffect(() => {
    const timer = setTimeout(() => {
      if (!busy) asker.answer({file: `${name}.litmus`, source: text, limit: 1}).then(setChecked, () => {});
    }, 200);
    return () => clearTimeout(timer);
  }, [text]);

  const startRuns = useCallback(async (source: string, ofAnswer: Answer) => {
    runner.stop();
    setTotals({});
    setRunProblem('');
    if (ofAnswer.error || !ofAnswer.outcomes) return;
    setRunning(true);
    try {
      await runLive(runner, source, chosen, runs, seed, (policy, all) => setTotals(before => ({...before, [policy]: all})));
      setRunning(false);
    } catch (error) {
      if (error instanceof EngineStopped) return;
      setRunProblem((error as Error).message.replace(/^:\d+:\d+: /, ''));
      setRunning(false);
    }
  }, [chosen, runs, seed]);

  const run = useCallback(async (source = text) => {
    clicked.current = performance.now();
    const mine = ++round.current;
    if (busy) asker.stop();
    setBusy(true);
    setNotice('');
    try {
      const got = await asker.answer({file: `${name}.litmus`, source, why: true});
      if (mine !== round.current) return;
      setAnswer(got);
      setChecked(got);
      if (got.error) setNotice(placed(got.error)?.message ?? got.error);
      void startRuns(source, got);
      requestAnimationFrame(() => results.current?.setAttribute('data-answered-ms', (performance.now() - clicked.current).toFixed(1)));
    } catch (error) {
      if (mine === round.current) setNotice((error as Error).message);
    } finally {
      if (mine === round.current) setBusy(false);
    }
  }, [text, name, busy, startRuns]);

  // The editor also tells of changes that the page made itself: those do not take an answer back.
  const write = (value: string) => {
    if (value === text) return;
    setText(value);
    setAnswer(null);
  };

  const open = (one: Example) => {
    setText(one.text);
    setName(one.name);
    setAnswer(null);
    setTask(null);
    runner.stop();
    setTotals({});
    setRunning(false);
    setNotice('');
  };

  const mend = (change: Change) => {
    const mended = applied(text, change.edits!);
    setText(mended);
    void run(mended).then(() => setNotice(`Changed, and run again. ${change.text.charAt(0).toUpperCase()}${change.text.slice(1)}.`));
  };

  const play = (row: Row) => {
    setTask({kind: row.allowed ? 'show' : 'never', outcome: row.outcome, text});
    setTab('play');
  };

  const share = async () => {
    const hash = await toLink({text, name, seed, runs, tab, ...(tab === 'play' ? {moves} : {})});
    history.replaceState(null, '', hash);
    const done = await navigator.clipboard?.writeText(location.href).then(() => true, () => false);
    setNotice(done ? 'The link is copied: it holds the text, the seed and the moves.' : 'The link is in the address bar: it holds the text, the seed and the moves.');
  };

  const goto = (line: number) => {
    document.querySelectorAll('.cm-line')[line - 1]?.scrollIntoView({block: 'nearest'});
  };

  const onTabKey = (event: KeyboardEvent) => {
    const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (!step) return;
    const at = kTabs.findIndex(([key]) => key === tab);
    const next = kTabs[(at + step + kTabs.length) % kTabs.length][0];
    setTab(next);
    document.getElementById(`tab-${next}`)?.focus();
  };

  const current = answer && !busy;
  return (
    <>
      <header>
        <h1>heddle <span>lab</span></h1>
        <label class="library">Examples <select value={example(name)?.text === text ? name : ''} onChange={event => {
          const one = example(event.currentTarget.value);
          if (one) open(one);
        }}>
          <option value="">(your own)</option>
          {kGroups.map(group => (
            <optgroup key={group.title} label={group.title}>
              {group.examples.map(one => <option key={one.name} value={one.name}>{one.name}</option>)}
            </optgroup>
          ))}
        </select></label>
        <span class="grow" />
        <button type="button" onClick={share}>Link</button>
        <label><span class="hidden">Theme </span><select value={theme} onChange={event => setTheme(event.currentTarget.value as Theme)}>
          <option value="auto">System</option><option value="light">Light</option><option value="dark">Dark</option>
        </select></label>
        <button type="button" aria-pressed={classroom} onClick={() => setClassroom(!classroom)}>Classroom</button>
      </header>
      {notice && <p class="notice" role="status">{notice} <button type="button" class="small" onClick={() => setNotice('')}>Close</button></p>}
      <main>
        {tab === 'kernels' && <section class="write" aria-label="Source"><SourceView watched={watched} /></section>}
        <section class="write" aria-label="Test" hidden={tab === 'kernels'}>
          <div class="row">
            <label class="name">Name <input value={name} onInput={event => setName(event.currentTarget.value)} /></label>
            <button type="button" class="run" onClick={() => (setTab(tab === 'why' ? 'why' : 'run'), void run())} title="Ctrl+Enter">{busy ? 'Again' : 'Run'}</button>
            {busy && <button type="button" onClick={() => (asker.stop(), setBusy(false))}>Stop</button>}
          </div>
          <Editor text={text} problems={problemsOf(checked)} onText={write} onRun={() => void run()} />
          {checked?.error && <p class="problem" role="alert">{placed(checked.error) ? `Line ${placed(checked.error)!.line}: ${placed(checked.error)!.message}` : checked.error}</p>}
        </section>
        <section class="results" ref={results} data-state={busy ? 'busy' : current ? 'answered' : 'idle'}>
          <div role="tablist" aria-label="Views" onKeyDown={onTabKey}>
            {kTabs.map(([key, title]) => (
              <button key={key} id={`tab-${key}`} type="button" role="tab" aria-selected={tab === key} aria-controls="view"
                      tabIndex={tab === key ? 0 : -1} onClick={() => setTab(key)}>{title}</button>
            ))}
          </div>
          <div id="view" role="tabpanel" aria-labelledby={`tab-${tab}`}>
            {tab === 'run' && <RunPanel answer={answer} policies={policies} chosen={chosen} runs={runs} seed={seed} totals={totals}
              running={running} runProblem={runProblem} onChoose={setChosen} onRuns={setRuns} onSeed={setSeed}
              onStop={() => (runner.stop(), setRunning(false))} onPlay={play} />}
            {tab === 'why' && <WhyPanel answer={answer} onChange={mend} onLine={goto}
              onDrawn={() => requestAnimationFrame(() => results.current?.setAttribute('data-drawn-ms', (performance.now() - clicked.current).toFixed(1)))} />}
            {tab === 'play' && <PlayPanel text={text} name={name} task={task} onMoves={setMoves} onLine={goto} />}
            {tab === 'challenges' && <ChallengePanel asker={asker} text={text} onOpen={open} />}
            {tab === 'course' && <CoursePanel lesson={lesson} onLesson={setLesson} onOpen={open} />}
            {tab === 'kernels' && <TracePanel watched={watched} onWatch={setWatched} />}
          </div>
        </section>
      </main>
    </>
  );
}
