/** The claims of a lesson: what a test can or cannot end with, and whether it has a race. tests/lab/course_test.cpp asks the explorer about each. */
import type {Answer, Outcome} from './answer';
import {spell} from './answer';
import {example, type Example} from './library';
import {rowsOf} from './runs';

export interface Claim {
  test: Example;
  /** `P1:r0 == 1 /\ P1:r1 == 0`; empty where the claim is of races alone. */
  condition: string;
  allowed: boolean;
}

/** The claim of an item of a list; nothing for an item that makes none. */
export function claimOf(item: string): Claim | null {
  const match = /^\[`[^`]*`\]\(([^)]*)\.litmus\) (?:(can|cannot) end with `([^`]*)`|has (?:a|no) data race)/.exec(item);
  const test = match && example(match[1]);
  return test ? {test, condition: match[3] ?? '', allowed: match[2] === 'can'} : null;
}

/** The outcome of an answer that a claim is about: the first for which its condition holds. */
export function outcomeOf(answer: Answer, condition: string): Outcome | undefined {
  const parts = condition.split('/\\').map(part => /^\s*(\S+)\s*==\s*(-?\d+)\s*$/.exec(part));
  if (parts.some(part => part === null)) return undefined;
  return rowsOf(answer).map(row => row.outcome).find(outcome => parts.every(part => outcome[part![1]] === Number(part![2])));
}

/** What Why shows of a claim: an outcome, or the race. */
export function shownOf(answer: Answer, condition: string): string {
  const outcome = condition ? outcomeOf(answer, condition) : undefined;
  return outcome ? spell(outcome) : 'race';
}
