/** Challenges, in an order that teaches, with hints; what is solved is kept in the browser. */
import {useEffect, useState} from 'preact/hooks';
import type {Answer} from './answer';
import {kChallenges} from './challenges.mjs';
import {checkEdit, checkPick, partsOf} from './check.mjs';
import type {Engine} from './engine';
import {kLessons, type Example} from './library';
import {hasCalls, isVulkan, spelled} from './notation';
import {prose} from './prose';
import {keep, kept} from './store';

interface Challenge {
  id: string;
  title: string;
  /** The lesson that it belongs to, from 1. */
  lesson: number;
  kind: 'pick' | 'edit' | 'reach';
  ask: string;
  text?: string;
  options?: {label: string; text?: string}[];
  hints: string[];
  outcome?: Record<string, number>;
}
const all = kChallenges as unknown as Challenge[];

/** The challenges that are solved, by id. */
export function solvedChallenges(): string[] {
  return kept<string[]>('solved', []);
}
export function markSolved(id: string) {
  const solved = solvedChallenges();
  if (!solved.includes(id)) keep('solved', [...solved, id]);
}
/** The challenge that asks for a game, if the text is its own, in whichever spelling. */
export async function reachChallenge(engine: Engine, text: string): Promise<Challenge | undefined> {
  const asked = all.flatMap(one => one.kind === 'reach' && one.text ? [{one, own: one.text}] : []);
  const same = asked.find(({own}) => own === text);
  if (same || !isVulkan(text)) return same?.one;
  const calls = await spelled(engine, text, 'calls');
  for (const {one, own} of asked) if (await spelled(engine, own, 'calls') === calls) return one;
  return undefined;
}

interface Props {
  asker: Engine;
  text: string;
  at: number;
  onAt: (challenge: number) => void;
  onLesson: (lesson: number) => void;
  onOpen: (example: Example) => void;
}

/** The challenge that one who comes back finds: the one of last time, else the first that is not solved. */
export function firstChallenge(): number {
  const first = all.findIndex(one => !solvedChallenges().includes(one.id));
  return kept('challenge', Math.max(first, 0));
}

/** The challenges of a lesson (from 0), each with its number (from 0). */
export function challengesOf(lesson: number): {at: number; title: string; solved: boolean}[] {
  const solved = solvedChallenges();
  return all.flatMap((one, at) => one.lesson === lesson + 1 ? [{at, title: one.title, solved: solved.includes(one.id)}] : []);
}

function Pick({challenge, picked, onPicked, onOpen}: {
  challenge: Challenge; picked: number[]; onPicked: (picked: number[]) => void; onOpen: Props['onOpen'];
}) {
  const toggle = (i: number) => onPicked(picked.includes(i) ? picked.filter(one => one !== i) : [...picked, i]);
  return (
    <fieldset>
      <legend>Pick all that are right</legend>
      {challenge.options!.map((option, i) => (
        <div key={option.label}>
          <label><input type="checkbox" checked={picked.includes(i)} onChange={() => toggle(i)} /> <code>{option.label}</code></label>{' '}
          {option.text && <button type="button" class="small" onClick={() => onOpen({name: `option-${i + 1}`, text: option.text!})}>Look at it</button>}
        </div>
      ))}
    </fieldset>
  );
}

export function ChallengePanel({asker, text, at: asked, onAt, onLesson, onOpen}: Props) {
  const [solved, setSolved] = useState(solvedChallenges);
  const at = Math.min(asked, all.length - 1);
  const [picked, setPicked] = useState<number[]>([]);
  const [hints, setHints] = useState(0);
  const [result, setResult] = useState<{solved: boolean; text: string} | null>(null);
  const [busy, setBusy] = useState(false);
  const challenge = all[at];
  useEffect(() => {
    keep('challenge', at);
    setPicked([]);
    setHints(0);
    setResult(null);
  }, [at]);
  // Challenges are checked in the spelling that they were set in.
  const [tags, setTags] = useState(text);
  useEffect(() => {
    let current = true;
    const take = (spelling: string) => current && setTags(spelling);
    if (hasCalls(text)) spelled(asker, text, 'tags').then(take, () => {});
    else take(text);
    return () => {
      current = false;
    };
  }, [text]);
  const check = async () => {
    setBusy(true);
    const ask = (request: object): Promise<Answer> => asker.answer(request);
    try {
      const found = challenge.kind === 'pick' ? await checkPick(ask, challenge, picked) : await checkEdit(ask, challenge, tags);
      setResult(found);
      if (found.solved) {
        markSolved(challenge.id);
        setSolved(solvedChallenges());
      }
    } catch (error) {
      setResult({solved: false, text: (error as Error).message});
    } finally {
      setBusy(false);
    }
  };
  // Whether the editor has this test at all.
  const names = (source: string | undefined) => source && partsOf(source)?.threads.map(thread => thread.place).join();
  const elsewhere = challenge.kind === 'edit' && names(tags) !== names(challenge.text);
  return (
    <section aria-label="Challenges" class="challenges">
      <p><progress max={all.length} value={solved.length} aria-label="Solved" /> {solved.length} of {all.length} solved</p>
      <div class="row">
        <label>Challenge <select value={at} onChange={event => onAt(Number(event.currentTarget.value))}>
          {all.map((one, i) => <option key={one.id} value={i}>{solved.includes(one.id) ? '✓ ' : ''}{i + 1}. {one.title}</option>)}
        </select></label>
        <button type="button" disabled={at === 0} onClick={() => onAt(at - 1)}>Back</button>
        <button type="button" disabled={at === all.length - 1} onClick={() => onAt(at + 1)}>Next</button>
      </div>
      <h2>{at + 1}. {challenge.title}</h2>
      <p>Of lesson <a href={`#course/${challenge.lesson}`} onClick={event => (event.preventDefault(), onLesson(challenge.lesson - 1))}>{kLessons[challenge.lesson - 1].title.replace(/^Lesson /, '')}</a></p>
      <p>{prose(challenge.ask)}</p>
      {challenge.text && <p><button type="button" onClick={() => onOpen({name: challenge.id, text: challenge.text!})}>
        {challenge.kind === 'edit' ? 'Open the test (from the start)' : 'Open the test'}</button></p>}
      {challenge.kind === 'pick' && <Pick challenge={challenge} picked={picked} onPicked={setPicked} onOpen={onOpen} />}
      {challenge.kind === 'reach' ? <p>It counts as solved when a game of yours ends so in <b>Play</b>.{solved.includes(challenge.id) && ' You have done it.'}</p> : (
        <p><button type="button" class="run" disabled={busy || elsewhere} onClick={check}>Check</button>{' '}
          {elsewhere && <span class="faint">Open the test first, and change it in the editor.</span>}</p>
      )}
      {result && <p class={`verdict ${result.solved ? 'fine' : 'racy'}`} role="status">{prose(result.text)}</p>}
      {challenge.hints.slice(0, hints).map(hint => <p key={hint} class="hint">{prose(hint)}</p>)}
      {hints < challenge.hints.length && <button type="button" onClick={() => setHints(hints + 1)}>{hints === 0 ? 'A hint' : 'Another hint'}</button>}
    </section>
  );
}
