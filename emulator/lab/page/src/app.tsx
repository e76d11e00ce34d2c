/** The page. */
import {useCallback, useEffect, useMemo, useRef, useState} from 'preact/hooks';
import type {Answer, Change, Policy} from './answer';
import {placed} from './answer';
import {ChallengePanel, firstChallenge} from './challenge_panel';
import {outcomeOf, shownOf, type Claim} from './claims';
import {CoursePanel} from './course_panel';
import {Editor, applied, type Problem} from './editor';
import {Engine} from './engine';
import {warmUp} from './graph';
import {Header} from './header';
import type {Example} from './library';
import {fromLink, toLink, type Shared} from './link';
import {fileOf, isModule} from './module_text';
import {kTabs, type Tab} from './places';
import {SpellingButton, Words} from './notation';
import {PlayPanel} from './play_panel';
import {prose} from './prose';
import {RunPanel} from './run_panel';
import type {Row} from './runs';
import {keep, kept} from './store';
import {SourceView, TracePanel, type Watched} from './trace_panel';
import {useAddress, type View} from './use_address';
import type {Task} from './use_game';
import {useRuns} from './use_runs';
import {useWork} from './use_work';
import {WhyPanel} from './why_panel';
import {AllWords, type Word} from './words';
import {addTest, testsOf, type OwnTest} from './works';

/** The races of a module are explained by runs. */
const kRunsForReasons = {machine: 'random', runs: 300, seed: 1};

function problemsOf(answer: Answer | null): Problem[] {
  const texts: [string, Problem['severity']][] = [];
  if (answer?.error) texts.push([answer.error, 'error']);
  for (const warning of answer?.warnings ?? []) texts.push([warning, 'warning']);
  return texts.flatMap(([text, severity]) => {
    const at = placed(text);
    return at ? [{...at, severity}] : [];
  });
}

/** Brings a part to the top of a screen on which the parts of the page stand below each other. */
function showOnNarrow(part: Element | null) {
  if (matchMedia('(max-width: 800px)').matches) part?.scrollIntoView();
}

/** The views' names; arrows go from one to the next. */
function Tabs({tab, onTab}: {tab: Tab; onTab: (tab: Tab) => void}) {
  const onKey = (event: KeyboardEvent) => {
    const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (!step) return;
    const at = kTabs.findIndex(([key]) => key === tab);
    const next = kTabs[(at + step + kTabs.length) % kTabs.length][0];
    onTab(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <div role="tablist" aria-label="Views" onKeyDown={onKey}>
      {kTabs.map(([key, title]) => (
        <button key={key} id={`tab-${key}`} type="button" role="tab" aria-selected={tab === key} aria-controls="view"
                tabIndex={tab === key ? 0 : -1} onClick={() => onTab(key)}>{title}</button>
      ))}
    </div>
  );
}

/** `asker` answers while one writes; runs and games have an engine of their own. */
export function App({asker}: {asker: Engine}) {
  const runner = useMemo(() => new Engine(), []);
  const desk = useMemo(() => new Engine(), []);
  const runs = useRuns(runner);
  const {work, tests, ...works} = useWork();
  const {text, name} = work;
  const [tab, setTab] = useState<Tab>(() => kept<Tab>('tab', 'run'));
  const [lesson, setLesson] = useState(() => kept('lesson', 0));
  const [challenge, setChallenge] = useState(firstChallenge);
  const [answer, setAnswer] = useState<Answer | null>(null);
  const [checked, setChecked] = useState<Answer | null>(null);
  const [busy, setBusy] = useState(false);
  const [notice, setNotice] = useState('');
  const [policies, setPolicies] = useState<Policy[]>([]);
  const [words, setWords] = useState<Word[]>([]);
  const [task, setTask] = useState<Task | null>(null);
  /** What Why shows: a race, or an outcome. */
  const [drawn, setDrawn] = useState('race');
  const [moves, setMoves] = useState<string[]>([]);
  const [sought, setSought] = useState<{line: number} | null>(null);
  const [watched, setWatched] = useState<Watched | null>(null);
  /** Where the editor is folded away: in Play, and elsewhere. */
  const [folded, setFolded] = useState(() => kept('folded', {play: true, else: false}));
  const results = useRef<HTMLElement>(null);
  const clicked = useRef(0);
  const round = useRef(0);

  useEffect(() => keep('tab', tab), [tab]);
  useEffect(() => keep('lesson', lesson), [lesson]);
  useEffect(() => keep('folded', folded), [folded]);

  // Where the test stands above the views, what is to be read begins at the top of the screen.
  useEffect(() => {
    if (tab === 'course' || tab === 'challenges') showOnNarrow(results.current);
  }, [tab, lesson, challenge]);

  /** What is known of another text is known no more. */
  const forget = () => {
    setAnswer(null);
    setDrawn('race');
    setTask(null);
    runs.forget();
  };
  const load = (state: Shared) => {
    forget();
    works.openShared(state.tests ?? [{name: state.name ?? 'shared', text: state.text}], state.title ?? '');
    if (state.seed !== undefined) runs.setSeed(state.seed);
    if (state.runs !== undefined) runs.setRuns(state.runs);
    if (kTabs.some(([key]) => key === state.tab)) setTab(state.tab as Tab);
    setTask(state.moves ? {kind: 'moves', moves: state.moves, text: state.text} : null);
    if (state.tests) setNotice(`${state.tests.length} tests have come with the link: they are under "My tests", beside your own.`);
  };
  const show = (view: Partial<View>) => {
    if (view.tab) setTab(view.tab);
    if (view.lesson !== undefined) setLesson(view.lesson);
    if (view.challenge !== undefined) setChallenge(view.challenge);
    if (!view.work) return;
    works.setWork(view.work);
    if (view.work.text !== text) setAnswer(null);
  };
  useAddress({tab, lesson, challenge, work}, show, hash => fromLink(hash).then(state => state ? load(state) : undefined, error => setNotice(error.message)));

  useEffect(() => {
    // What is needed next comes behind what is needed first, and takes nothing from the first answer.
    const begin = () => {
      runner.begin();
      warmUp().catch(() => {});
    };
    asker.policies().then(all => (setPolicies(all), setTimeout(begin, 3000)), error => setNotice(error.message));
    asker.desk<{words: Word[]}>({request: 'words'}).then(answer => setWords(answer.words), () => {});
  }, []);

  // Errors in place while one writes: a search that stops at the first execution.
  useEffect(() => {
    const timer = setTimeout(() => {
      if (!busy) asker.answer({file: fileOf(name, text), source: text, limit: 1}).then(setChecked, () => {});
    }, 200);
    return () => clearTimeout(timer);
  }, [text]);

  /** The answer; nothing if another one has been asked for meanwhile, or there is none. */
  const run = useCallback(async (source = text): Promise<Answer | undefined> => {
    clicked.current = performance.now();
    const mine = ++round.current;
    if (busy) asker.stop();
    setBusy(true);
    setNotice('');
    try {
      const got = await asker.answer({file: fileOf(name, source), source, why: true, ...(isModule(source) ? kRunsForReasons : {})});
      if (mine !== round.current) return undefined;
      setAnswer(got);
      setChecked(got);
      if (got.error) setNotice(placed(got.error)?.message ?? got.error);
      runs.start(source, got);
      requestAnimationFrame(() => results.current?.setAttribute('data-answered-ms', (performance.now() - clicked.current).toFixed(1)));
      return got;
    } catch (error) {
      if (mine === round.current) setNotice((error as Error).message);
    } finally {
      if (mine === round.current) setBusy(false);
    }
    return undefined;
  }, [text, name, busy]);

  const write = (value: string) => {
    works.write(value);
    setAnswer(null);
  };
  const open = (one: Example) => {
    forget();
    setNotice('');
    works.openText(one.name, one.text);
    showOnNarrow(document.getElementById('test'));
  };
  const openTest = (test: OwnTest) => {
    forget();
    setNotice('');
    works.openTest(test);
  };
  const mend = (change: Change) => {
    const mended = applied(text, change.edits!);
    works.replace(mended);
    const left = change.other_race ? ` Another race is left: ${change.other_race}.` : '';
    void run(mended).then(() => setNotice(`Changed, and run again. ${change.text.charAt(0).toUpperCase()}${change.text.slice(1)}.${left} The browser's "back" takes it back.`));
  };
  const play = (row: Row) => {
    if (row.drawn) {
      setDrawn(row.key);
      setTab('why');
      return;
    }
    setTask({kind: row.allowed ? 'show' : 'never', outcome: row.outcome, text});
    setTab('play');
  };

  const see = async ({test, condition}: Claim) => {
    open(test);
    setTab('why');
    const got = await run(test.text);
    if (got) setDrawn(shownOf(got, condition));
  };
  const playClaim = async ({test, condition}: Claim) => {
    open(test);
    const got = await run(test.text);
    const outcome = got && outcomeOf(got, condition);
    if (outcome) setTask({kind: 'show', outcome, text: test.text});
    setTab('play');
  };

  const copyLink = async (state: Shared, what: string) => {
    history.replaceState(history.state, '', await toLink(state));
    const done = await navigator.clipboard?.writeText(location.href).then(() => true, () => false);
    setNotice(`The link is ${done ? 'copied' : 'in the address bar'}: it holds ${what}.`);
  };
  const share = () => copyLink({text, name, seed: runs.seed, runs: runs.runs, tab, ...(tab === 'play' ? {moves} : {})}, 'the text, the seed and the moves');
  const shareList = (list: OwnTest[], title: string) => copyLink(
      {text: list[0].text, name: list[0].name, title, tests: list.map(one => ({name: one.name, text: one.text}))},
      `${list.length} ${list.length === 1 ? 'test' : 'tests'}`);

  const goto = (line: number) => setSought({line});
  const onDrop = async (event: DragEvent) => {
    const files = [...event.dataTransfer?.files ?? []];
    if (files.length === 0) return;
    // The editor would put the file's text into the one that is there.
    event.preventDefault();
    event.stopPropagation();
    try {
      const dropped = [];
      for (const file of files) for (const one of testsOf(await file.text(), file.name)) dropped.push(addTest(one.name, one.text, one.list));
      works.refresh();
      if (dropped.length > 0) openTest(dropped[0]);
    } catch (error) {
      setNotice((error as Error).message);
    }
  };
  const kind = tab === 'play' ? 'play' : 'else';
  const hidden = tab === 'kernels' || folded[kind];
  const current = answer && !busy;
  return (
    <AllWords.Provider value={words}>
      <div class="whole" onDragOver={event => event.dataTransfer?.types.includes('Files') && event.preventDefault()} onDropCapture={event => void onDrop(event)}>
      <Header work={work} tests={tests} onExample={open} onTest={openTest} onTests={works.refresh} onShare={() => void share()}
              onListLink={(list, title) => void shareList(list, title)} onNotice={setNotice} />
      {notice && <p class="notice" role="status">{prose(notice)} <button type="button" class="small" onClick={() => setNotice('')}>Close</button></p>}
      <main class={hidden && tab !== 'kernels' ? 'folded' : ''}>
        {tab === 'kernels' && <section class="write" aria-label="Source"><SourceView watched={watched} /></section>}
        <section class="write" id="test" aria-label="Test" hidden={hidden}>
          <div class="row">
            <label class="name">Name <input value={name} onInput={event => works.rename(event.currentTarget.value)} /></label>
            <button type="button" class="run" onClick={() => (setTab(tab === 'why' ? 'why' : 'run'), void run())} title="Ctrl+Enter">{busy ? 'Again' : 'Run'}</button>
            {busy && <button type="button" onClick={() => (asker.stop(), setBusy(false))}>Stop</button>}
            <SpellingButton engine={desk} text={text} onText={write} />
          </div>
          <Editor text={text} sought={sought} problems={problemsOf(checked)} onText={write} onRun={() => void run()} />
          {checked?.error && <p class="problem" role="alert">{prose(placed(checked.error) ? `Line ${placed(checked.error)!.line}: ${placed(checked.error)!.message}` : checked.error)}</p>}
          <Words text={text} />
        </section>
        <section class="results" ref={results} data-state={busy ? 'busy' : current ? 'answered' : 'idle'}>
          <div class="views">
            <Tabs tab={tab} onTab={setTab} />
            {tab !== 'kernels' && <button type="button" class="small" aria-expanded={!hidden} aria-controls="test"
              onClick={() => setFolded({...folded, [kind]: !folded[kind]})}>{hidden ? 'Show the test' : 'Hide the test'}</button>}
          </div>
          <div id="view" role="tabpanel" aria-labelledby={`tab-${tab}`}>
            {tab === 'run' && <RunPanel answer={answer} policies={policies} chosen={runs.chosen} runs={runs.runs} seed={runs.seed} totals={runs.totals}
              running={runs.running} runProblem={runs.runProblem} onChoose={runs.setChosen} onRuns={runs.setRuns} onSeed={runs.setSeed}
              onStop={runs.stop} onPlay={play} />}
            {tab === 'why' && <WhyPanel answer={answer} shown={drawn} onShown={setDrawn} onChange={mend} onLine={goto}
              onDrawn={() => requestAnimationFrame(() => results.current?.setAttribute('data-drawn-ms', (performance.now() - clicked.current).toFixed(1)))} />}
            {tab === 'play' && <PlayPanel desk={desk} text={text} name={name} task={task} onMoves={setMoves} onLine={goto} />}
            {tab === 'challenges' && <ChallengePanel asker={asker} text={text} at={challenge} onAt={setChallenge} onOpen={open}
              onLesson={at => (setLesson(at), setTab('course'))} />}
            {tab === 'course' && <CoursePanel lesson={lesson} onLesson={setLesson} open={open} onSee={claim => void see(claim)} onPlay={claim => void playClaim(claim)}
              onChallenge={at => (setChallenge(at), setTab('challenges'))} />}
            {tab === 'kernels' && <TracePanel watched={watched} onWatch={setWatched} />}
          </div>
        </section>
      </main>
      </div>
    </AllWords.Provider>
  );
}
