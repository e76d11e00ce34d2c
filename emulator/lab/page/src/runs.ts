/** Runs that count up while one looks. */
import type {Answer, Outcome, Totals} from './answer';
import {spell} from './answer';
import type {Engine} from './engine';

/** Long enough to be worth a message, short enough to be stopped. */
const kMillisecondsAtATime = 60;
/** Drawing takes time of the processor that makes the runs. */
const kMillisecondsBetweenDrawings = 150;

/** Makes `runs` runs of a test on each policy in turn; `show` is called with what each came to, again and again. */
export async function runLive(engine: Engine, source: string, policies: string[], runs: number, seed: number,
                              show: (policy: string, totals: Totals) => void): Promise<void> {
  for (const machine of policies) {
    let totals = await engine.beginRuns({source, machine, seed});
    if (totals.error) throw new Error(totals.error);
    let count = 500;
    let asked = 0;
    const ask = () => {
      const batch = Math.min(count, runs - asked);
      asked += batch;
      const answer = engine.moreRuns(batch);
      // Whoever waits for the batch before is told that the engine was stopped; this one is waited for by nobody then.
      answer.catch(() => {});
      return {batch, answer};
    };
    let begin = performance.now();
    let shown = 0;
    // The engine has the next batch at hand while the page reads about the last one.
    for (let now = ask(); ;) {
      const next = asked < runs ? ask() : null;
      totals = await now.answer;
      if (totals.error) throw new Error(totals.error);
      const end = performance.now();
      if (!next || end - shown > kMillisecondsBetweenDrawings) {
        show(machine, totals);
        shown = end;
      }
      if (!next) break;
      count = Math.max(100, Math.round(Math.min(now.batch * 4, now.batch * kMillisecondsAtATime / Math.max(end - begin, 1))));
      begin = end;
      now = next;
    }
  }
}

export interface Row {
  outcome: Outcome;
  key: string;
  allowed: boolean;
  /** The assertion asks for it. */
  asked: boolean;
  /** No interleaving of the threads ends so. */
  weak?: boolean | null;
  /** It is forbidden, and there is a drawing of why. */
  drawn: boolean;
}

/** Every combination of values that come up and are no outcome, where the engine has no list of what is forbidden. */
function otherCombinations(answer: Answer, known: Set<string>): Outcome[] {
  const allowed = answer.outcomes ?? [];
  if (!answer.complete || allowed.length === 0) return [];
  const names = Object.keys(allowed[0]);
  const values = names.map(name => [...new Set(allowed.map(outcome => outcome[name]))].sort((a, b) => Number(a) - Number(b)));
  if (values.reduce((product, one) => product * one.length, 1) > 64) return [];
  const all = values.reduce<Outcome[string][][]>((heads, one) => heads.flatMap(head => one.map(value => [...head, value])), [[]]);
  return all.map(one => Object.fromEntries(names.map((name, i) => [name, one[i]]))).filter(outcome => !known.has(spell(outcome)));
}

/** The outcomes of interest: the asked ones first, as the engine lists them. */
export function rowsOf(answer: Answer): Row[] {
  const rows = answer.why?.rows;
  if (rows)
    return rows.map(({outcome, allowed, asked, weak, forbidden}) => ({outcome, key: spell(outcome), allowed, asked, weak, drawn: forbidden !== undefined}));
  const allowed = (answer.outcomes ?? []).map(outcome => ({outcome, key: spell(outcome), allowed: true, asked: false, drawn: false}));
  const others = otherCombinations(answer, new Set(allowed.map(row => row.key)));
  return [...allowed, ...others.map(outcome => ({outcome, key: spell(outcome), allowed: false, asked: false, drawn: false}))];
}
