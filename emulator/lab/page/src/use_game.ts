/** A game on the engine's desk: its state, requests, answers to questions, and what the browser keeps of it. */
import {useCallback, useEffect, useRef, useState} from 'preact/hooks';
import type {Outcome} from './answer';
import {spell} from './answer';
import {markSolved, reachChallenge} from './challenge_panel';
import {checkReach} from './check.mjs';
import type {Engine} from './engine';
import {stateOf, type Reason, type Source, type State} from './game';
import {fileOf} from './module_text';
import {keepGame, keptGame, programOf} from './games';

/** What the game begins with: moves of a link, an outcome to show, or one to explain away. */
export interface Task {
  kind: 'moves' | 'show' | 'never';
  text: string;
  moves?: string[];
  outcome?: Outcome;
}

/** Typing makes many texts; the last one is opened. */
const kMillisecondsOfRest = 150;

type Opened = {ok: boolean; error?: string} & Partial<State>;

/** Opens the test with the game that is kept of it; with none, if the engine does not take those moves any more. */
async function openKept(desk: Engine, open: object, text: string): Promise<State> {
  const game = keptGame(text);
  if (!game) return stateOf(await desk.desk<Opened>(open));
  const opened = stateOf(await desk.desk<Opened>({...open, moves: game.moves}));
  if (!opened.ok) return stateOf(await desk.desk<Opened>(open));
  for (const {name, at} of game.bookmarks) {
    await desk.desk({request: 'jump', to: at});
    await desk.desk({request: 'bookmark', name});
  }
  await desk.desk({request: 'breakpoints', breaks: game.breaks});
  return stateOf(await desk.desk<Opened>({request: 'jump', to: game.at}));
}

function reasonText(reason: Reason, question: string): string {
  if (!reason.ok) return reason.error ?? 'There is no answer.';
  const cycle = reason.cycle?.map(one => `line ${one.line} —${one.relation}→`).join(' ');
  return [question, reason.text, cycle && `The cycle: ${cycle} back to the start.`, reason.clause && `(${reason.clause})`].filter(Boolean).join(' ');
}

export function useGame(desk: Engine, text: string, name: string, task: Task | null, onMoves: (moves: string[]) => void) {
  const [state, setState] = useState<State | null>(null);
  const [problem, setProblem] = useState('');
  const [said, setSaid] = useState('');
  const opened = useRef('');
  const used = useRef<Task | null>(null);

  const show = useCallback((next: State) => {
    setState(next);
    keepGame(text, next);
    onMoves(next.history.slice(0, next.at).map(entry => entry.move));
    if (!next.ended) return;
    void reachChallenge(desk, text).then(challenge => {
      if (!challenge) return;
      const found = checkReach(challenge, next);
      if (found.solved) markSolved(challenge.id);
      setSaid(`Challenge "${challenge.title}": ${found.text}`);
    }, () => {});
  }, [desk, text, onMoves]);

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

  const why = async (request: object, question: string) => setSaid(reasonText(await desk.desk<Reason>(request), question));
  const sources = async (thread: number) => {
    const found = await desk.desk<{ok: boolean; error?: string; sources?: Source[]}>({request: 'sources', thread});
    setSaid(found.ok ? found.sources!.map(one => `${one.variable} = ${one.value}: ${one.status}. ${one.text}`).join(' | ') : found.error ?? '');
  };

  useEffect(() => {
    let current = true;
    const begin = async () => {
      const mine = task !== used.current && task?.text === text ? task : null;
      used.current = task;
      const open = {request: 'open', text, file: fileOf(name, text)};
      const first = mine ? stateOf(await desk.desk<Opened>({...open, moves: mine.moves ?? []})) : await openKept(desk, open, text);
      if (!current) return;
      if (!first.ok) {
        setState(null);
        setProblem(first.error ?? 'The test cannot be opened.');
        return;
      }
      setProblem('');
      if (programOf(text) !== opened.current) setSaid('');
      opened.current = programOf(text);
      show(first);
      if (mine?.kind === 'show') await ask({request: 'show', outcome: mine.outcome});
      if (mine?.kind === 'never') await why({request: 'why_never', outcome: mine.outcome}, `Why never ${spell(mine.outcome!)}?`);
    };
    const timer = setTimeout(() => begin().catch(error => current && setProblem(error.message)), kMillisecondsOfRest);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [text, task]);

  return {state, problem, said, ask, why, sources};
}
