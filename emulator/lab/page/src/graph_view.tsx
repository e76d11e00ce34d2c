/** An execution graph as SVG. It carries its own colours, so that it is the same in a file. */
import {useEffect, useState} from 'preact/hooks';
import type {Graph} from './answer';
import {kRelations, layOut, type Arrow, type Drawing} from './graph';

/** Colours that the colour-blind can tell apart (Okabe and Ito, 2008), and a pattern for each as well. */
const kStyles: Record<string, {stroke: string; dash?: string; width?: number}> = {
  po: {stroke: '#8a94a0'},
  rf: {stroke: '#009e73'},
  smo: {stroke: '#0072b2', dash: '6 3'},
  sw: {stroke: '#e69f00', width: 2.5},
  ssw: {stroke: '#e69f00', width: 2.5, dash: '8 3'},
  locord: {stroke: '#8a6bbf', dash: '2 3'},
  race: {stroke: '#d55e00', width: 3, dash: '10 4 2 4'},
};

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

export function GraphView({graph, title, onDrawn, onLine}: {
  graph: Graph; title: string; onDrawn?: () => void; onLine?: (line: number) => void;
}) {
  const [drawing, setDrawing] = useState<Drawing | null>(null);
  const [problem, setProblem] = useState('');
  useEffect(() => {
    let current = true;
    layOut(graph).then(
      drawn => {
        if (!current) return;
        setDrawing(drawn);
        setProblem('');
        onDrawn?.();
      },
      error => current && setProblem(`The graph cannot be drawn: ${error.message ?? error}`));
    return () => void (current = false);
  }, [graph]);
  if (problem) return <p class="problem" role="alert">{problem}</p>;
  if (!drawing) return <p class="faint">The graph is being laid out.</p>;
  return (
    <svg class="graph" role="img" aria-label={`${title}. ${inWords(graph).join(' ')}`} xmlns="http://www.w3.org/2000/svg"
         viewBox={`0 0 ${Math.ceil(drawing.width)} ${Math.ceil(drawing.height)}`} width={Math.ceil(drawing.width)}
         height={Math.ceil(drawing.height)} font-family="ui-monospace, Menlo, Consolas, monospace" font-size="12">
      <defs>
        {Object.entries(kStyles).map(([relation, {stroke}]) => (
          <marker key={relation} id={`head-${relation}`} viewBox="0 0 8 8" refX="7" refY="4" markerWidth="9" markerHeight="9"
                  markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L8 4L0 8z" fill={stroke} /></marker>
        ))}
      </defs>
      <rect width="100%" height="100%" fill="#ffffff" />
      {drawing.columns.map(column => (
        <g key={column.title}>
          <rect x={column.x} y={column.y} width={column.width} height={column.height} rx="8" fill="#f3f5f8" stroke="#c9d1da" />
        </g>
      ))}
      {drawing.arrows.map((arrow, i) => {
        const style = kStyles[arrow.relation] ?? kStyles.locord;
        return (
          <g key={i} data-relation={arrow.relation}>
            <title>{arrow.title}</title>
            <path d={path(arrow)} fill="none" stroke={style.stroke} stroke-width={style.width ?? 1.6} stroke-dasharray={style.dash}
                  marker-end={arrow.relation === 'race' ? undefined : `url(#head-${arrow.relation in kStyles ? arrow.relation : 'locord'})`} />
            {arrow.label && (
              <text x={arrow.label.x} y={arrow.label.y} text-anchor="middle" fill={style.stroke} font-size="11" font-weight="700"
                    paint-order="stroke" stroke="#ffffff" stroke-width="3">{arrow.label.text}</text>
            )}
          </g>
        );
      })}
      {drawing.columns.map(column => (
        <g key={column.title} paint-order="stroke" stroke="#f3f5f8" stroke-width="4">
          <text x={column.x + 14} y={column.y + 19} font-weight="700" fill="#1b2430">{column.title}</text>
          <text x={column.x + 14} y={column.y + 35} fill="#566270" font-size="11">{column.place}</text>
        </g>
      ))}
      {drawing.boxes.map(box => (
        <g key={box.id} onClick={() => box.line > 0 && onLine?.(box.line)}>
          <rect x={box.x} y={box.y} width={box.width} height={box.height} rx="5" fill={box.racing ? '#fdeee6' : '#ffffff'}
                stroke={box.racing ? '#d55e00' : '#8a94a0'} stroke-width={box.racing ? 2.5 : 1}
                stroke-dasharray={box.line === 0 ? '3 3' : undefined} />
          {box.lines.map((line, i) => (
            <text key={i} x={box.x + 10} y={box.y + 18 + 17 * i} fill={i === 0 ? '#1b2430' : '#44505c'}>{line}</text>
          ))}
        </g>
      ))}
    </svg>
  );
}

/** What the arrows mean. */
export function Legend({relations}: {relations: string[]}) {
  return (
    <ul class="legend" aria-label="Arrows">
      {relations.map(relation => {
        const style = kStyles[relation] ?? kStyles.locord;
        return (
          <li key={relation}>
            <svg width="34" height="10" aria-hidden="true"><line x1="1" y1="5" x2="33" y2="5" stroke={style.stroke}
              stroke-width={style.width ?? 1.6} stroke-dasharray={style.dash} /></svg>
            <b>{relation}</b> {kRelations[relation] ?? ''}
          </li>
        );
      })}
    </ul>
  );
}
