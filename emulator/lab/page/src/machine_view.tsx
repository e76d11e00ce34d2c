/** The machine of a game: threads, caches by scope, memory. Writes on their way are tokens that one clicks or drags onward. */
import {useState} from 'preact/hooks';
import type {Line, Move, State} from './game';

interface Props {
  state: State;
  onMove: (move: Move) => void;
  onLine: (line: number) => void;
}

function Token({line, move, onMove, onDrag}: {
  line: Line; move: Move | undefined; onMove: Props['onMove']; onDrag: (move: Move | null) => void;
}) {
  const words = `${line.variable} = ${line.value}`;
  const title = line.text ?? words;
  const kind = `token ${line.kind ?? ''} ${line.stale ? 'stale' : ''}`;
  const mark = line.stale ? ' (stale)' : line.kind === 'write' ? ' →' : '';
  if (!move) return <span class={kind} title={title}>{words}{mark}</span>;
  return (
    <button type="button" class={kind} title={`${title}. ${move.text}`} aria-label={move.text} draggable onClick={() => onMove(move)}
            onDragStart={event => (event.dataTransfer?.setData('text/plain', move.id), onDrag(move))} onDragEnd={() => onDrag(null)}>
      {words}{mark}
    </button>
  );
}

export function MachineView({state, onMove, onLine}: Props) {
  const [dragged, setDragged] = useState<Move | null>(null);
  const delivery = (place: string, line: Line) => state.moves.find(move =>
    (move.kind === 'deliver' && line.kind === 'write' && move.write === line.write && (move.from === undefined || move.from === place)) ||
    (move.kind === 'invalidate' && line.kind === 'copy' && move.variable === line.variable && place === state.threads[move.thread ?? -1]?.name));
  const target = (place: string) => dragged !== null && (dragged.to === undefined || dragged.to === place);
  const box = (id: string, name: string, kind: string, lines: Line[]) => (
    <div key={id} class={`place ${kind} ${target(id) ? 'target' : ''}`} role="group" aria-label={name}
         onDragOver={event => target(id) && event.preventDefault()}
         onDrop={event => {
           event.preventDefault();
           if (dragged && target(id)) onMove(dragged);
           setDragged(null);
         }}>
      <h3>{name}</h3>
      {lines.length === 0 && <span class="faint">empty</span>}
      {lines.map(line => <Token key={`${line.variable} ${line.write} ${line.kind}`} line={line} move={delivery(id, line)} onMove={onMove} onDrag={setDragged} />)}
    </div>
  );
  const levels = [...new Set(state.caches.map(cache => cache.level))];
  return (
    <div aria-label="The machine" role="group">
      <div class="machine">
        {state.threads.map(thread => (
          <div key={thread.index} class="place" role="group" aria-label={`Thread ${thread.name}`}>
            <h3>{thread.name} <span class="faint">{thread.status}{thread.why && `: ${thread.why}`}</span></h3>
            <ol>{thread.code.map(one => (
              <li key={one.line} class={one.line === thread.line ? 'next' : ''} aria-current={one.line === thread.line ? 'step' : undefined}
                  onClick={() => onLine(one.line)}>{state.breaks.some(({line}) => line === one.line) && <span title="a breakpoint" aria-label="breakpoint">● </span>}{one.text}</li>
            ))}</ol>
            <div>{Object.entries(thread.registers).map(([name, value]) => (
              <code key={name}>{name}{thread.late.includes(name) ? ' is late' : ` = ${value}`}</code>))}</div>
          </div>
        ))}
      </div>
      {levels.map(level => (
        <div class="machine" key={level}>{state.caches.filter(cache => cache.level === level).map(cache => box(cache.id, cache.name, 'cache', cache.lines))}</div>
      ))}
      <div class="machine">{box('memory', 'Memory', 'memory', state.memory)}</div>
    </div>
  );
}
