/** Threads below each other: a test whose rows are too wide, as text to read and to write, and back again. */

/** Where a cell stands in the text of a test: its line (from 1), and the columns (from 1) from the first to behind the last. */
interface Cell {
  text: string;
  line: number;
  begin: number;
  end: number;
}
interface Table {
  before: string[];
  /** The first row has the places of the threads. */
  rows: Cell[][];
  after: string[];
}

const kHead = /^P\d+\b[^:;|]*:\s*$/;
const kIndent = '  ';
/** What stands behind the threads of a test. */
const kTail = /^\s*(?:~?exists|forall|filter|locations|not)\b/;

/** The cells of a row; a stroke within parentheses is part of a call. */
function cellsOf(row: string, line: number): Cell[] {
  const cells: Cell[] = [];
  let depth = 0;
  let begin = 0;
  const close = (end: number) => {
    const words = row.slice(begin, end);
    const indent = words.length - words.trimStart().length;
    cells.push({text: words.trim(), line, begin: begin + indent + 1, end: begin + words.trimEnd().length + 1});
    begin = end + 1;
  };
  for (let i = 0; i < row.length; ++i) {
    if (row[i] === '(') ++depth;
    if (row[i] === ')') --depth;
    if (row[i] === ';' || row[i] === '|' && depth === 0) close(i);
  }
  return cells;
}

/** The table of a test that has a row on each line; nothing for a text of another form. */
function tableOf(text: string): Table | null {
  const lines = text.split('\n');
  const opened = lines.findIndex(line => line.includes('}'));
  const first = lines.findIndex((line, i) => i >= opened && opened >= 0 && /^\s*P\d+\b[^;]*;\s*$/.test(line));
  if (first < 0) return null;
  let end = first;
  while (end < lines.length && /^[^;]*;\s*$/.test(lines[end])) ++end;
  const after = lines.slice(end);
  const table = lines.slice(first, end);
  if (table.some(line => /\(\*|<</.test(line)) || !(kTail.test(after[0] ?? '') || (after[0] ?? '').trim() === '')) return null;
  const rows = table.map((line, i) => cellsOf(line, first + i + 1));
  return rows.every(row => row.length <= rows[0].length) ? {before: lines.slice(0, first), rows, after} : null;
}

/** How many characters the widest row has; 0 for a test that has no such rows. */
export function widthOf(text: string): number {
  const table = tableOf(text);
  return table ? Math.max(...text.split('\n').slice(table.before.length, table.before.length + table.rows.length).map(row => row.length)) : 0;
}

/** The test with its threads below each other; nothing for a text of another form. */
export function stacked(text: string): string | null {
  const table = tableOf(text);
  if (!table) return null;
  const threads = table.rows[0].map((head, thread) => {
    const cells = table.rows.slice(1).map(row => row[thread]?.text ?? '');
    while (cells.length > 0 && cells[cells.length - 1] === '') cells.pop();
    return [`${head.text}:`, ...cells.map(cell => kIndent + cell)];
  });
  return [...table.before, ...threads.flat(), ...table.after].join('\n');
}

interface Blocks {
  before: string[];
  threads: {head: string; cells: string[]}[];
  after: string[];
}

/** The threads of a stacked text; nothing if it has none. */
function blocksOf(text: string): Blocks | null {
  const lines = text.split('\n');
  const first = lines.findIndex(line => kHead.test(line));
  if (first < 0) return null;
  const tail = lines.findIndex((line, i) => i > first && kTail.test(line));
  let end = tail < 0 ? lines.length : tail;
  while (lines[end - 1].trim() === '') --end;
  const threads: Blocks['threads'] = [];
  for (const line of lines.slice(first, end)) {
    if (kHead.test(line)) threads.push({head: line.trim().replace(/\s*:$/, ''), cells: []});
    else threads[threads.length - 1].cells.push(line.trim());
  }
  return {before: lines.slice(0, first), threads, after: lines.slice(end)};
}

/** The test that a stacked text is; a text without stacked threads is a test already. */
export function unstacked(text: string): string {
  const blocks = blocksOf(text);
  if (!blocks) return text;
  const height = Math.max(...blocks.threads.map(thread => thread.cells.length));
  const widths = blocks.threads.map(thread => Math.max(...[thread.head, ...thread.cells].map(cell => cell.length)));
  const row = (cells: string[]) => ` ${cells.map((cell, i) => cell.padEnd(widths[i])).join(' | ')} ;`;
  const rows = Array.from({length: height}, (_, i) => row(blocks.threads.map(thread => thread.cells[i] ?? '')));
  return [...blocks.before, row(blocks.threads.map(thread => thread.head)), ...rows, ...blocks.after].join('\n');
}

/** The line of the test for each line of a stacked text, both from 1. */
export function linesOfTest(text: string): number[] {
  const blocks = blocksOf(text);
  if (!blocks) return text.split('\n').map((_, i) => i + 1);
  const head = blocks.before.length + 1;
  const height = Math.max(...blocks.threads.map(thread => thread.cells.length));
  return [
    ...blocks.before.map((_, i) => i + 1),
    ...blocks.threads.flatMap(thread => [head, ...thread.cells.map((_, i) => head + 1 + i)]),
    ...blocks.after.map((_, i) => head + height + 1 + i),
  ];
}

/** Where a place of the test is in its stacked text; lines and columns from 1. */
export function placeInStacked(test: string, text: string, line: number, column: number): {line: number; column: number} {
  const table = tableOf(test);
  const lines = linesOfTest(text);
  const all = lines.flatMap((one, i) => one === line ? [i + 1] : []);
  const row = table?.rows.find(cells => cells[0]?.line === line);
  if (!row || all.length === 0) return {line: all[0] ?? line, column};
  const thread = Math.max(row.findIndex(cell => column < cell.end + 1), 0);
  // A thread that is shorter has no line for the row.
  const heads = text.split('\n').flatMap((one, i) => kHead.test(one) ? [i + 1] : []);
  const at = heads[thread] + line - table!.rows[0][0].line;
  const indent = row === table!.rows[0] ? 0 : kIndent.length;
  return {line: at, column: Math.max(column - row[thread].begin, 0) + 1 + indent};
}
