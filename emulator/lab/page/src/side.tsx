/** One of two operations of a kernel that stand side by side. */
import {eventsBefore, eventText, sourceOf} from './film.mjs';
import type {Film} from './wrong_reads';

interface Source {
  file: string;
  line: number;
  lines: string[];
}

const kLinesAround = 4;
const kEventsOfEach = 6;

/** An invocation: the line where it was, and what it did up to then. */
export function Side({film, title, operation, event, onEvent}: {film: Film; title: string; operation: number; event: number; onEvent: (event: number) => void}) {
  const source = sourceOf(film, operation) as Source | undefined;
  const agent = film.operations.agent[operation];
  const first = source ? Math.max(0, source.line - 1 - kLinesAround) : 0;
  return (
    <div role="group" aria-label={title}>
      <h3>{title}</h3>
      <p class="faint">{film.agents[agent]}</p>
      {source && <p class="where">{source.file.replace(/^.*\//, '')}:{source.line}</p>}
      {source && <div class="source short">{source.lines.slice(first, source.line + kLinesAround).map((line, i) => (
        <div key={i} class={first + i + 1 === source.line ? 'now' : ''}>{String(first + i + 1).padStart(5)} {line}</div>))}</div>}
      <ol class="events short">{(eventsBefore(film, agent, event, kEventsOfEach) as number[]).map(one => (
        <li key={one} class={one === event ? 'now' : ''}><button type="button" onClick={() => onEvent(one)}>{one} {eventText(film, one)}</button></li>))}</ol>
    </div>
  );
}
