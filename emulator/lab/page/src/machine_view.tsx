/** The machine of a game: threads, the caches that hold something, memory. Writes on their way are tokens that one clicks or drags onward. */
import {Fragment} from 'preact';
import {useContext, useEffect, useRef, useState} from 'preact/hooks';
import type {Line, Move, State} from './game';
import {useMotion} from './motion';
import {kKeys} from './moves_view';
import {AllWords, explained} from './words';

interface Props {
  state: State;
  onMove: (move: Move) => void;
  onLine: (line: number) => void;
}

interface TokenProps {
  place: string;
  line: Line;
  move: Move | undefined;
  /** The number of the move's key; nothing if it has none. */
  digit: number;
  /** The name of the place that the move brings it to. */
  to: string;
  onMove: Props['onMove'];
  onDrag: (move: Move | null) => void;
}

function Token({place, line, move, digit, to, onMove, onDrag}: TokenProps) {
  const words = `${line.variable} = ${line.value}`;
  const title = line.text ?? words;
  const value = `${line.variable} ${line.write}`;
  const look = {class: `token ${line.kind ?? ''} ${line.stale ? 'stale' : ''}`, 'data-token': `${place} ${value} ${line.kind}`, 'data-value': value};
  const mark = line.stale ? ' (stale)' : line.kind === 'write' && to ? ` → ${to}` : '';
  if (!move) return <span {...look} title={title}><span class="value">{words}</span>{mark}</span>;
  return (
    <button type="button" {...look} title={`${title}. ${move.text}`} aria-label={move.text} draggable onClick={() => onMove(move)}
            onDragStart={event => (event.dataTransfer?.setData('text/plain', move.id), onDrag(move))} onDragEnd={() => onDrag(null)}>
      {digit <= kKeys && <kbd>{digit}</kbd>} <span class="value">{words}</span>{mark}
    </button>
  );
}

function ThreadView({thread, breaks, onLine}: {thread: State['threads'][number]; breaks: State['breaks']; onLine: Props['onLine']}) {
  const words = useContext(AllWords);
  const code = useRef<HTMLOListElement>(null);
  // Of code that is longer than its box what comes next is seen.
  useEffect(() => {
    const box = code.current!;
    const next = box.querySelector<HTMLElement>('li.next');
    if (next) box.scrollTop = next.offsetTop - box.offsetTop - box.clientHeight / 2;
  }, [thread.line]);
  return (
    <div class="place thread" role="group" aria-label={`Thread ${thread.name}`} data-thread={thread.index}>
      <h3>{thread.name} <span class="faint">{thread.status}{thread.why && `: ${thread.why}`}</span>
        {Object.entries(thread.registers).map(([name, value]) => (
          <code key={name}>{name}{thread.late.includes(name) ? ' is late' : ` = ${value}`}</code>))}</h3>
      <ol ref={code}>{thread.code.map((one, i) => (
        <Fragment key={one.line}>
          {one.source && one.source !== thread.code[i - 1]?.source && <li class="faint" aria-label={`from ${one.source}`}>{one.source}</li>}
          <li class={one.line === thread.line ? 'next' : ''} aria-current={one.line === thread.line ? 'step' : undefined}
              title={explained(one.text, words) || undefined} onClick={() => onLine(one.line)}>{breaks.some(({line}) => line === one.line) && <span title="a breakpoint" aria-label="breakpoint">● </span>}{one.text}</li>
        </Fragment>
      ))}</ol>
    </div>
  );
}

export function MachineView({state, onMove, onLine}: Props) {
  const [dragged, setDragged] = useState<Move | null>(null);
  const root = useRef<HTMLDivElement>(null);
  useMotion(root, state, state.history[state.at - 1]?.thread ?? null);
  const delivery = (place: string, line: Line) => state.moves.find(move =>
    (move.kind === 'deliver' && line.kind === 'write' && move.write === line.write && (move.from === undefined || move.from === place)) ||
    (move.kind === 'invalidate' && line.kind === 'copy' && move.variable === line.variable && place === state.threads[move.thread ?? -1]?.name));
  const target = (place: string) => dragged !== null && (dragged.to === undefined || dragged.to === place);
  const goals = new Set(state.moves.map(move => move.to));
  const nameOf = (id: string | undefined) => id === 'memory' ? 'memory' : state.caches.find(cache => cache.id === id)?.name ?? '';
  const box = (id: string, name: string, kind: string, lines: Line[]) => (
    <div key={id} class={`place ${kind} ${lines.length === 0 ? 'expected' : ''} ${target(id) ? 'target' : ''}`} role="group" aria-label={name}
         onDragOver={event => target(id) && event.preventDefault()}
         onDrop={event => {
           event.preventDefault();
           if (dragged && target(id)) onMove(dragged);
           setDragged(null);
         }}>
      <h3>{name}</h3>
      {lines.length === 0 && <span class="faint">empty</span>}
      {lines.map(line => {
        const move = delivery(id, line);
        return <Token key={`${line.variable} ${line.write} ${line.kind}`} place={id} line={line} move={move} digit={move ? state.moves.indexOf(move) + 1 : 0}
                      to={nameOf(move?.to)} onMove={onMove} onDrag={setDragged} />;
      })}
    </div>
  );
  return (
    <div aria-label="The machine" role="group" ref={root}>
      <div class="machine threads">{state.threads.map(thread => <ThreadView key={thread.index} thread={thread} breaks={state.breaks} onLine={onLine} />)}</div>
      <div class="machine caches">{state.caches.filter(cache => cache.lines.length > 0 || goals.has(cache.id))
        .map(cache => box(cache.id, cache.name, 'cache', cache.lines))}</div>
      <div class="machine">{box('memory', 'Memory', 'memory', state.memory)}</div>
    </div>
  );
}
