/** Play: a game on the machine, move by move, with undo, a time line, and answers to "why not?". */
import {useState} from 'preact/hooks';
import {spell} from './answer';
import type {Engine} from './engine';
import type {Move, State} from './game';
import {MachineView} from './machine_view';
import {MovesView, kKeys} from './moves_view';
import {usePageKeys} from './page_keys';
import {prose} from './prose';
import {Stops} from './stops';
import {useGame, type Task} from './use_game';

interface Props {
  desk: Engine;
  text: string;
  name: string;
  task: Task | null;
  onMoves: (moves: string[]) => void;
  onLine: (line: number) => void;
}
type Ask = (request: object) => void;

/** What a screen reader says behind each move. */
function announced(state: State): string {
  const last = state.history[state.at - 1];
  const parts = [`Step ${state.at} of ${state.length}.`];
  if (last) parts.push(`${last.text}.`, ...last.effects.map(effect => `${effect}.`));
  if (!state.ended) parts.push(`${state.moves.length} ${state.moves.length === 1 ? 'move' : 'moves'}: ${state.moves.slice(0, kKeys).map((one, i) => `${i + 1}, ${one.text}`).join('; ')}.`);
  return parts.join(' ');
}

interface Player {
  policy: string;
  seed: number;
}

function Automatic({policy, seed, onChange}: Player & {onChange: (player: Player) => void}) {
  return (
    <details class="settings"><summary>Automatic play: {policy}, seed {seed}</summary>
      <label>Policy <select value={policy} onChange={event => onChange({policy: event.currentTarget.value, seed})}>
        {['random', 'eager', 'lazy'].map(one => <option key={one}>{one}</option>)}
      </select></label>
      <label>seed <input type="number" min="0" value={seed}
                         onInput={event => onChange({policy, seed: Math.max(0, Number(event.currentTarget.value) || 0)})} /></label>
    </details>
  );
}

function Done({state, ask}: {state: State; ask: Ask}) {
  return (
    <details open class="past"><summary>What was done</summary>
      <ol class="done">{state.history.slice(0, state.at).map((entry, i) => (
        <li key={i}><button type="button" class="small" aria-label={`Go to step ${i + 1}`} onClick={() => ask({request: 'jump', to: i + 1})}>{i + 1}</button> {entry.text}
          {entry.effects.map(effect => <div key={effect} class="faint">{effect}</div>)}</li>))}</ol>
    </details>
  );
}

export function PlayPanel({desk, text, name, task, onMoves, onLine}: Props) {
  const {state, problem, said, ask: request, why, sources} = useGame(desk, text, name, task, onMoves);
  const [player, setPlayer] = useState<Player>({policy: 'random', seed: 1});
  const ask: Ask = one => void request(one);
  const move = (one: Move) => ask({request: 'do', move: one.id});
  usePageKeys(key => {
    const digit = Number(key);
    if (!state) return false;
    if (key === 'u') ask({request: 'undo'});
    else if (key === 'r') ask({request: 'redo'});
    else if (digit >= 1 && digit <= kKeys && state.moves[digit - 1]) move(state.moves[digit - 1]);
    else return false;
    return true;
  });

  if (problem) return <section aria-label="Play"><p class="problem" role="alert">{prose(problem)}</p></section>;
  if (!state) return <section aria-label="Play"><p class="faint">The game is being set up.</p></section>;
  return (
    <section aria-label="Play" class="play" data-test={state.name} data-at={state.at} data-ended={state.ended}>
      <p class="hidden" role="status" aria-live="polite">{announced(state)}</p>
      <div class="row controls">
        <button type="button" aria-disabled={state.at === 0} onClick={() => state.at > 0 && ask({request: 'jump', to: 0})}>Start</button>
        <button type="button" title="u" aria-disabled={state.at === 0} onClick={() => state.at > 0 && ask({request: 'undo'})}>Undo</button>
        <button type="button" title="r" aria-disabled={state.at === state.length} onClick={() => state.at < state.length && ask({request: 'redo'})}>Redo</button>
        <button type="button" aria-disabled={state.ended} onClick={() => !state.ended && ask({request: 'play', ...player})}>
          {state.breaks.length > 0 ? 'Play to a breakpoint' : 'Play to the end'}</button>
        <label class="grow time">Step {state.at} of {state.length}
          <input class="timeline" type="range" min="0" max={state.length} value={state.at} onInput={event => ask({request: 'jump', to: Number(event.currentTarget.value)})} /></label>
      </div>
      <div class="board">
        <MachineView state={state} onMove={move} onLine={onLine} />
        <div class="next-moves">
          {!state.ended && <h3 class="head">Moves <span class="faint">keys 1 to {kKeys}; u undoes, r does again</span></h3>}
          <MovesView state={state} onMove={move} />
          <div role="status">
            {state.ended && <p class="verdict fine">The game has ended{state.outcome && ` with ${spell(state.outcome)}`}. {state.verdict}</p>}
            {said && <p class="verdict">{prose(said)}</p>}
          </div>
          {!state.consistent && <p class="problem" role="alert">The judge rejects this game. That is a bug of heddle: please report it with the link.</p>}
          {state.findings.map(one => <p key={`${one.thread} ${one.line} ${one.text}`} class="verdict racy">{state.threads[one.thread].name}, line {one.line}: {prose(one.text)}</p>)}
          {state.races.map(race => <p key={race.text} class="verdict racy">{prose(race.text)}</p>)}
          {state.forbidden.length > 0 && (
            <details><summary>{state.forbidden.length} moves that are not allowed now</summary>
              <ul class="moves">{state.forbidden.map(one => (
                <li key={one.id}><button type="button" class="small" onClick={() => void why({request: 'why_not', move: one.id}, `${one.text}. Why not?`)}>{one.text}: why not?</button></li>))}</ul>
            </details>
          )}
          <div class="row">{state.threads.filter(thread => /^(?:ld|rmw|coopld|r\d+ = \w+\()/.test(thread.instruction)).map(thread => (
            <button key={thread.index} type="button" class="small" onClick={() => void sources(thread.index)}>{thread.name}: where could its next value come from?</button>))}</div>
        </div>
        <Done state={state} ask={ask} />
      </div>
      <Automatic {...player} onChange={setPlayer} />
      <Stops state={state} ask={ask} />
    </section>
  );
}
