/** A game as the desk tells it: emulator/lab/PROTOCOL.md. */
import type {Outcome} from './answer';

/** Numbers; of modules also "undefined", and numbers that JavaScript does not hold. */
export type Value = number | string;
export interface CodeLine {
  line: number;
  text: string;
  /** Of a module: the line that it was compiled from, "scan.comp:12". */
  source?: string;
}
export interface Move {
  id: string;
  kind: string;
  thread?: number;
  line?: number;
  variable?: string;
  value?: Value;
  write?: number | null;
  stale?: boolean;
  from?: string;
  to?: string;
  text: string;
}
export interface Line {
  variable: string;
  names?: string[];
  value: Value;
  write: number | null;
  kind?: 'write' | 'copy';
  stale?: boolean;
  text?: string;
}
/** Where automatic play stops: one of these. */
export interface Break {
  line?: number;
  variable?: string;
  race?: boolean;
  outcome?: boolean;
}
export interface State {
  ok: boolean;
  error?: string;
  line?: number;
  column?: number;
  name: string;
  at: number;
  length: number;
  ended: boolean;
  threads: {index: number; name: string; status: string; line: number; instruction: string; why: string;
    registers: Record<string, Value>; late: string[]; code: CodeLine[]}[];
  caches: {id: string; level: string; name: string; threads: number[]; lines: Line[]}[];
  memory: Line[];
  moves: Move[];
  forbidden: Move[];
  history: {move: string; text: string; thread: number | null; line: number; step: number | null; effects: string[]}[];
  races: {lines: number[]; text: string}[];
  /** Undefined behaviour, and other mistakes that are no races. */
  findings: {thread: number; line: number; text: string}[];
  bookmarks: {name: string; at: number}[];
  breaks: Break[];
  outcome?: Outcome;
  end?: string;
  satisfies?: boolean;
  passes_filter?: boolean;
  /** What the end means for the test, in a sentence or two. */
  verdict?: string;
  consistent: boolean;
  stopped?: string;
  /** Why it stopped at a breakpoint. */
  break?: string;
}
export interface Reason {
  ok: boolean;
  error?: string;
  text?: string;
  clause?: string;
  cycle?: {step: number; line: number; thread: number; relation: string}[];
}
export interface Source {
  variable: string;
  value: Value;
  status: string;
  move?: string;
  text: string;
}

/** The desk's word on a state may come as the answer itself, or as its field `state`. */
export function stateOf(answer: {ok: boolean; error?: string; state?: State} & Partial<State>): State {
  return answer.state ? {...answer.state, ok: answer.ok, stopped: answer.stopped, break: answer.break} : answer as State;
}
