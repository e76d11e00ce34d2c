/** What the engine says, as `heddle litmus --json` documents it (emulator/litmus/README.md); of a module, `heddle spirv --json`. */

/** Values of a module may be texts: "undefined", and numbers that are too large for JavaScript's. */
export type Outcome = Record<string, number | string>;

export interface Operation {
  thread: number;
  line: number;
  column: number;
  text: string;
  variable?: string;
  read?: number;
  written?: number;
}

export interface Edge {
  /** -1 is the initial value. */
  from: number;
  to: number;
  relation: string;
  /** Of `hb`: the storage classes for which it holds; none for one that holds for every class. */
  classes?: string[];
  /** Of `locord`: how the write gets to the other operation. */
  chain?: {domain: string; through: number[]; text: string};
}

/** An edge of a cycle: why it is there, and the anchor of the specification's section that says so. */
export interface CycleEdge extends Edge {
  clause: string;
  text: string;
}

export interface Graph {
  threads: {name: string; place: string}[];
  operations: Operation[];
  edges: Edge[];
  races: [number, number][];
  /** Edges that are drawn when somebody switches them on. */
  more?: Edge[];
}

/** Why an outcome is forbidden, by the closest execution that would end so. */
export interface Forbidden {
  text: string;
  rule: string;
  clause: string;
  violated: number;
  cycle: CycleEdge[];
  graph: Graph | null;
}

/** An outcome of interest, as emulator/lab/PROTOCOL.md says. */
export interface OutcomeRow {
  outcome: Outcome;
  allowed: boolean;
  asked: boolean;
  /** Of an allowed one: no interleaving of the threads ends so. */
  weak?: boolean | null;
  /** Of an allowed one: an index into the graphs. */
  graph?: number;
  forbidden?: Forbidden;
}

export interface Edit {
  line: number;
  column: number;
  old: string;
  new: string;
}

export interface Change {
  text: string;
  unordered: boolean;
  /** Two others that race once it is made. */
  other_race?: string;
  /** Which of the races it mends, by their numbers; not of host tests. */
  mends?: number[];
  /** Null where the dialect has no words for it, and then why. */
  edits: Edit[] | null;
  why_no_edits?: string;
}

export interface Why {
  graphs: (Graph | null)[];
  race?: {first: number; second: number; text: string; missing_link?: string; reason?: string; races?: string[]; changes: Change[]; graph: Graph};
  forbidden?: string;
  rows?: OutcomeRow[];
  rows_complete?: boolean;
  /** Of a C or Mu test: each kind of undefined behaviour that it has. */
  undefined?: {kind: string; text: string; graph: Graph}[];
}

/** A race that runs of a module found, with its reason and with changes that order the accesses. */
export interface ModuleRace {
  object: string;
  first: {operation: string; line: number; function: string};
  second: {operation: string; line: number; function: string};
  reason: string;
  changes: string[];
}

export interface Answer {
  file: string;
  error?: string;
  warnings?: string[];
  name?: string;
  format?: string;
  quantifier?: string | null;
  holds?: boolean | null;
  racy?: boolean;
  outcomes?: Outcome[];
  claims?: {text: string; holds: boolean}[];
  executions?: number;
  complete?: boolean;
  why?: Why;
  /** Of a module. */
  races?: ModuleRace[];
  findings?: {message: string; line: number; instruction: string}[];
  undefined?: {line: number; what: string}[];
}

export interface Totals {
  error?: string;
  runs: number;
  histogram: {outcome: Outcome; count: number; first_run: number}[];
  blocked: number;
  cut: number;
  filtered: number;
  racy_runs: number;
  first_racy_run: number | null;
}

export interface Policy {
  name: string;
  description: string;
}

/** An outcome in one line, `P1:r0=1 P1:r1=0`; a test without observables has one that is empty. */
export function spell(outcome: Outcome): string {
  return Object.entries(outcome).map(([name, value]) => `${name}=${value}`).join(' ') || '(nothing is observed)';
}

/** The place that a message of the engine names, and the message alone. */
export function placed(error: string): {line: number; column: number; message: string} | null {
  // Messages about modules name no column.
  const match = /^(?:[^\n]*?):(\d+):(?:(\d+):)? ([^]*)$/.exec(error);
  return match && {line: Number(match[1]), column: Number(match[2] ?? 1), message: match[3]};
}
