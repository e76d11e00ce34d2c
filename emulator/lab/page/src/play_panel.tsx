/** Play: a game on the machine, move by move, with undo, a time line, and answers to "why not?". */
import {useCallback, useEffect, useMemo, useState} from 'preact/hooks';
import type {Outcome} from './answer';
import {spell} from './answer';
import {markSolved, reachChallenge} from './challenge_panel';
import {checkReach} from './check.mjs';
import {Engine} from './engine';
import {stateOf, type Move, type Reason, type Source, type State} from './game';
import {MachineView} from './machine_view';
import {Stops} from './stops';

/** What the game begins with: moves of a link, an outcome to show, or one to explain away. */
export interface Task {
  kind: 'moves' | 'show' | 'never';
  text: string;
  moves?: string[];
  outcome?: Outcome;
}

interface Props {
  text: string;
  name: string;
  task: Task | null;
  onMoves: (moves: string[]) => void;
  onLine: (line: number) => void;
}

export function PlayPanel({text, name, task, onMoves, onLine}: Props) {
  const desk = useMemo(() => new Engine(), []);
  const [state, setState] = useState<State | null>(null);
  const [problem, setProblem] = useState('');
  const [said, setSaid] = useState('');
  const [policy, setPolicy] = useState('random');
  const [seed, setSeed] = useState(1);

  const show = useCallback((next: State) => {
    setState(next);
    onMoves(next.history.slice(0, next.at).map(entry => entry.move));
    const challenge = reachChallenge(text);
    if (challenge && next.ended) {
      const found = checkReach(challenge, next);
      if (found.solved) markSolved(challenge.id);
      setSaid(`Challenge "${challenge.title}": ${found.text}`);
    }
  }, [text, onMoves]);

  const ask = useCallback(async (request: object) => {
    try {
      const next = stateOf(await desk.desk(request));
      if (!next.ok) return setSaid(next.error ?? 'That cannot be done.');
      setSaid(next.break ? `Stopped at a breakpoint: ${next.break}.` : next.stopped === 'most' ? 'Stopped: the game goes on and on.' : '');
      setProblem('');
      show(next);
    } catch (error) {
      setProblem((error as Error).message);
    }
  }, [desk, show]);

  useEffect(() => {
    let current = true;
    const begin = async () => {
      const mine = task?.text === text ? task : null;
      const opened = stateOf(await desk.desk({request: 'open', text, file: `${name}.litmus`, moves: mine?.moves ?? []}));
      if (!current) return;
      if (!opened.ok) {
        setState(null);
        setProblem(opened.error ?? 'The test cannot be opened.');
        return;
      }
      setProblem('');
      setSaid('');
      show(opened);
      if (mine?.kind === 'show') await ask({request: 'show', outcome: mine.outcome});
      if (mine?.kind === 'never') await why({request: 'why_never', outcome: mine.outcome}, `Why never ${spell(mine.outcome!)}?`);
    };
    const timer = setTimeout(() => begin().catch(error => current && setProblem(error.message)), 150);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [text, task]);
  useEffect(() => () => desk.stop(), []);

  const why = async (request: object, question: string) => {
    const reason = await desk.desk<Reason>(request);
    const cycle = reason.cycle?.map(one => `line ${one.line} —${one.relation}→`).join(' ');
    setSaid(reason.ok ? [question, reason.text, cycle && `The cycle: ${cycle} back to the start.`, reason.clause && `(${reason.clause})`].filter(Boolean).join(' ')
                      : reason.error ?? 'There is no answer.');
  };
  const sources = async (thread: number) => {
    const found = await desk.desk<{ok: boolean; error?: string; sources?: Source[]}>({request: 'sources', thread});
    setSaid(found.ok ? found.sources!.map(one => `${one.variable} = ${one.value}: ${one.status}. ${one.text}`).join(' | ') : found.error ?? '');
  };
  const move = (one: Move) => void ask({request: 'do', move: one.id});
  const onKey = (event: KeyboardEvent) => {
    if ((event.target as HTMLElement).matches('input, select')) return;
    const digit = Number(event.key);
    if (event.key === 'u') void ask({request: 'undo'});
    else if (event.key === 'r') void ask({request: 'redo'});
    else if (digit >= 1 && state && state.moves[digit - 1]) move(state.moves[digit - 1]);
    else return;
    event.preventDefault();
  };

  if (problem) return <section aria-label="Play"><p class="problem" role="alert">{problem}</p></section>;
  if (!state) return <section aria-label="Play"><p class="faint">The game is being set up.</p></section>;
  return (
    <section aria-label="Play" onKeyDown={onKey} data-at={state.at} data-ended={state.ended}>
      <div class="row">
        <button type="button" disabled={state.at === 0} onClick={() => void ask({request: 'undo'})}>Undo</button>
        <button type="button" disabled={state.at === state.length} onClick={() => void ask({request: 'redo'})}>Redo</button>
        <label>Automatic <select value={policy} onChange={event => setPolicy(event.currentTarget.value)}>
          {['random', 'eager', 'lazy'].map(one => <option key={one}>{one}</option>)}
        </select></label>
        <label>seed <input type="number" min="0" value={seed} onInput={event => setSeed(Math.max(0, Number(event.currentTarget.value) || 0))} /></label>
        <button type="button" disabled={state.ended} onClick={() => void ask({request: 'play', policy, seed})}>{state.breaks.length > 0 ? 'Play to a breakpoint' : 'Play to the end'}</button>
      </div>
      <label>Step {state.at} of {state.length}
        <input class="timeline" type="range" min="0" max={state.length} value={state.at} onInput={event => void ask({request: 'jump', to: Number(event.currentTarget.value)})} /></label>
      <Stops state={state} ask={request => void ask(request)} />
      {said && <p class="verdict" role="status">{said}</p>}
      {state.ended && <p class="verdict fine" role="status">The game has ended{state.outcome && ` with ${spell(state.outcome)}`}.{state.satisfies && ' It is what the test asks for.'}</p>}
      {!state.consistent && <p class="problem" role="alert">The judge rejects this game. That is a bug of heddle: please report it with the link.</p>}
      {state.races.map(race => <p key={race.text} class="verdict racy">{race.text}</p>)}
      <MachineView state={state} onMove={move} onLine={onLine} />
      {!state.ended && <h3>Moves (keys 1 to 9; u undoes, r does again)</h3>}
      <ol class="moves">{state.moves.map((one, i) => <li key={one.id}><button type="button" data-move={one.id} onClick={() => move(one)}>{i < 9 ? `${i + 1} ` : ''}{one.text}</button></li>)}</ol>
      {state.forbidden.length > 0 && (
        <details><summary>{state.forbidden.length} moves that are not allowed now</summary>
          <ul class="moves">{state.forbidden.map(one => (
            <li key={one.id}><button type="button" class="small" onClick={() => void why({request: 'why_not', move: one.id}, `${one.text}. Why not?`)}>{one.text}: why not?</button></li>))}</ul>
        </details>
      )}
      <div class="row">{state.threads.filter(thread => /^(?:ld|rmw)/.test(thread.instruction)).map(thread => (
        <button key={thread.index} type="button" class="small" onClick={() => void sources(thread.index)}>{thread.name}: where could its next value come from?</button>))}</div>
      <details open><summary>What was done</summary>
        <ol>{state.history.slice(0, state.at).map((entry, i) => (
          <li key={i}><button type="button" class="small" onClick={() => void ask({request: 'jump', to: i + 1})}>{i + 1}</button> {entry.text}
            {entry.effects.map(effect => <div key={effect} class="faint">{effect}</div>)}</li>))}</ol>
      </details>
    </section>
  );
}
