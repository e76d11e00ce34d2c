/** An execution graph as SVG. It carries its own colours, so that it is the same in a file. */
import {useContext, useEffect, useState} from 'preact/hooks';
import type {CycleEdge, Graph} from './answer';
import {kRelations, layOut, type Arrow, type Drawing} from './graph';
import {kCycleStyle, kRelationsDrawn, styleOfGroup} from './graph_styles';
import {AllWords, explained} from './words';

function path({points}: Arrow): string {
  return points.map(([x, y], i) => `${i === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`).join('');
}

/** The graph in words: what a screen reader says, and what everybody can read below it. */
export function inWords(graph: Graph): string[] {
  const name = (index: number) => {
    if (index < 0) return 'the initial value';
    const {thread, text, line} = graph.operations[index];
    return `${graph.threads[thread].name}'s ${text} (line ${line})`;
  };
  const sentences = graph.edges.filter(edge => edge.relation !== 'po').map(edge => {
    if (edge.relation === 'rf') return `${name(edge.to)} reads from ${name(edge.from)}.`;
    if (edge.relation === 'sw') return `${name(edge.from)} synchronizes with ${name(edge.to)}.`;
    return `${name(edge.from)} comes before ${name(edge.to)} in ${kRelations[edge.relation] ?? edge.relation}.`;
  });
  for (const [a, b] of graph.races) sentences.push(`${name(a)} races with ${name(b)}.`);
  return sentences;
}

const headOf = (arrow: Arrow) => arrow.cycle ? 'cycle' : kRelationsDrawn.includes(arrow.relation) ? arrow.relation : 'locord';

function ArrowHeads() {
  const heads = [...kRelationsDrawn.map(one => [one, styleOfGroup(one).stroke]), ['cycle', kCycleStyle.stroke]];
  return (
    <defs>
      {heads.map(([name, colour]) => (
        <marker key={name} id={`head-${name}`} viewBox="0 0 8 8" refX="7" refY="4" markerWidth={name === 'cycle' ? 13 : 9} markerHeight={name === 'cycle' ? 13 : 9}
                markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L8 4L0 8z" fill={colour} /></marker>
      ))}
    </defs>
  );
}

function ArrowView({arrow}: {arrow: Arrow}) {
  const style = arrow.cycle ? kCycleStyle : styleOfGroup(arrow.relation);
  return (
    <g data-relation={arrow.relation} data-cycle={arrow.cycle || undefined}>
      <title>{arrow.title}</title>
      <path d={path(arrow)} fill="none" stroke={style.stroke} stroke-width={style.width ?? 1.6} stroke-dasharray={style.dash}
            marker-end={arrow.relation === 'race' ? undefined : `url(#head-${headOf(arrow)})`} />
      {arrow.label && (
        <text x={arrow.label.x} y={arrow.label.y} text-anchor="middle" fill={style.ink} font-weight="700"
              paint-order="stroke" stroke="#ffffff" stroke-width="4">{arrow.label.text}</text>
      )}
    </g>
  );
}

interface Props {
  graph: Graph;
  shown: string[];
  cycle?: CycleEdge[];
  title: string;
  scale: (drawing: Drawing) => number;
  onDrawn?: () => void;
  onLine?: (line: number) => void;
}

export function GraphView({graph, shown, cycle = [], title, scale, onDrawn, onLine}: Props) {
  const [drawing, setDrawing] = useState<Drawing | null>(null);
  const [problem, setProblem] = useState('');
  const words = useContext(AllWords);
  useEffect(() => {
    let current = true;
    layOut(graph, shown, cycle).then(
      drawn => {
        if (!current) return;
        setDrawing(drawn);
        setProblem('');
        onDrawn?.();
      },
      error => current && setProblem(`The graph cannot be drawn: ${error.message ?? error}`));
    return () => void (current = false);
  }, [graph, shown]);
  if (problem) return <p class="problem" role="alert">{problem}</p>;
  if (!drawing) return <p class="faint">The graph is being laid out.</p>;
  const inCycle = new Set(cycle.flatMap(edge => [`o${edge.from}`, `o${edge.to}`]));
  const [width, height] = [Math.ceil(drawing.width), Math.ceil(drawing.height)];
  const size = scale(drawing);
  return (
    <svg class="graph" role="img" aria-label={`${title}. ${inWords(graph).join(' ')}`} xmlns="http://www.w3.org/2000/svg"
         viewBox={`0 0 ${width} ${height}`} width={(width * size).toFixed(1)} height={(height * size).toFixed(1)}
         font-family="ui-monospace, Menlo, Consolas, monospace" font-size="12">
      <ArrowHeads />
      <rect width={width} height={height} fill="#ffffff" />
      {drawing.columns.map(column => (
        <rect key={column.title} x={column.x} y={column.y} width={column.width} height={column.height} rx="8" fill="#f3f5f8" stroke="#aab4bf" />
      ))}
      {drawing.arrows.map((arrow, i) => <ArrowView key={i} arrow={arrow} />)}
      {drawing.columns.map(column => (
        <g key={column.title} paint-order="stroke" stroke="#f3f5f8" stroke-width="4">
          <text x={column.x + 14} y={column.y + 19} font-weight="700" fill="#1b2430" font-size="13">{column.title}</text>
          <text x={column.x + 14} y={column.y + 36} fill="#44505c">{column.place}</text>
        </g>
      ))}
      {drawing.boxes.map(box => {
        const marked = box.racing || inCycle.has(box.id);
        return (
          <g key={box.id} class="box" data-line={box.line || undefined} onClick={() => box.line > 0 && onLine?.(box.line)}>
            {box.line > 0 && <title>{explained(box.lines[0], words)}</title>}
            <rect x={box.x} y={box.y} width={box.width} height={box.height} rx="5" fill={marked ? '#fdeee6' : '#ffffff'}
                  stroke={inCycle.has(box.id) ? kCycleStyle.stroke : box.racing ? '#d55e00' : '#7a8490'} stroke-width={marked ? 2.5 : 1}
                  stroke-dasharray={box.line === 0 ? '3 3' : undefined} />
            {box.lines.map((line, i) => (
              <text key={i} x={box.x + 10} y={box.y + 18 + 17 * i} fill={i === 0 ? '#1b2430' : '#44505c'}>{line}</text>
            ))}
          </g>
        );
      })}
    </svg>
  );
}
