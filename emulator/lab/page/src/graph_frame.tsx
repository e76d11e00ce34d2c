/** A graph in its frame: fitted to the width, larger and smaller, moved by hand, relations on and off, and as a file. */
import {useEffect, useMemo, useRef, useState} from 'preact/hooks';
import type {CycleEdge, Graph} from './answer';
import {groupsOf, kRelations, type Drawing} from './graph';
import {kCycleStyle, styleOfGroup, type LineStyle} from './graph_styles';
import {GraphView} from './graph_view';
import {saveSvg} from './save_file';
import {forFile, type LegendLine} from './svg_file';

const kStep = 1.25;
/** Texts of a graph are of this size. */
const kTextSize = 12;
const kLeast = 0.2, kMost = 5;

function lengthOfText(): number {
  return parseFloat(getComputedStyle(document.documentElement).fontSize);
}

/** The width of an element, and how large text is on the page, from now on. */
function useRoom(element: {current: HTMLElement | null}) {
  const [room, setRoom] = useState({width: 0, text: 16});
  useEffect(() => {
    const measure = () => element.current && setRoom({width: element.current.clientWidth, text: lengthOfText()});
    const observer = new ResizeObserver(measure);
    observer.observe(element.current!);
    addEventListener('resize', measure);
    measure();
    return () => {
      observer.disconnect();
      removeEventListener('resize', measure);
    };
  }, []);
  return room;
}

/** Moves what an element shows while the pointer is held. */
function usePan(stage: {current: HTMLElement | null}) {
  const last = useRef<{x: number; y: number} | null>(null);
  return {
    onPointerDown: (event: PointerEvent) => {
      if (event.button === 0 && event.pointerType === 'mouse') last.current = {x: event.clientX, y: event.clientY};
    },
    onPointerMove: (event: PointerEvent) => {
      if (!last.current || !(event.buttons & 1)) return;
      stage.current!.scrollBy(last.current.x - event.clientX, last.current.y - event.clientY);
      last.current = {x: event.clientX, y: event.clientY};
    },
    onPointerUp: () => void (last.current = null),
  };
}

function Sample({style}: {style: LineStyle}) {
  return (
    <svg width="34" height="10" aria-hidden="true"><rect width="34" height="10" fill="#ffffff" /><line x1="1" y1="5" x2="33" y2="5" stroke={style.stroke}
      stroke-width={style.width ?? 1.6} stroke-dasharray={style.dash} /></svg>
  );
}

/** What a group of edges is called, with the storage classes of `hb`. */
function groupName(group: string): string {
  const [relation, ...classes] = group.split(' ');
  return `${kRelations[relation] ?? ''}${classes.length > 0 ? ` for ${classes.join(' ')}` : ''}`;
}

/** What the arrows mean, each with a switch. */
function Relations({groups, shown, cycle, onToggle}: {groups: string[]; shown: string[]; cycle: boolean; onToggle: (group: string) => void}) {
  return (
    <ul class="legend" aria-label="Arrows">
      {cycle && <li><Sample style={kCycleStyle} /> <b>the cycle</b> each edge with its relation and its rule</li>}
      {groups.map(group => (
        <li key={group}><label>
          <input type="checkbox" checked={shown.includes(group)} onChange={() => onToggle(group)} data-group={group} /> <Sample style={styleOfGroup(group)} />
          {' '}<b>{group}</b> {groupName(group)}</label></li>
      ))}
    </ul>
  );
}

interface Props {
  graph: Graph;
  cycle?: CycleEdge[];
  title: string;
  file: string;
  onDrawn?: () => void;
  onLine?: (line: number) => void;
}

export function GraphFrame({graph, cycle = [], title, file, onDrawn, onLine}: Props) {
  const groups = useMemo(() => groupsOf(graph), [graph]);
  const [off, setOff] = useState<string[]>([]);
  const [on, setOn] = useState<string[]>([]);
  const [zoom, setZoom] = useState<number | 'fit'>('fit');
  const stage = useRef<HTMLDivElement>(null);
  const drawn = useRef<Drawing | null>(null);
  const room = useRoom(stage);
  const all = [...groups.first, ...groups.more];
  const shown = useMemo(() => [...groups.first.filter(one => !off.includes(one)), ...groups.more.filter(one => on.includes(one))], [groups, off, on]);

  const fitted = (drawing: Drawing) => Math.min(room.width / drawing.width, room.text / kTextSize);
  const scale = (drawing: Drawing) => {
    drawn.current = drawing;
    return zoom === 'fit' ? fitted(drawing) : zoom;
  };
  const change = (factor: number) => {
    if (drawn.current) setZoom(Math.min(Math.max(scale(drawn.current) * factor, kLeast), kMost));
  };
  const flip = (list: string[], group: string) => list.includes(group) ? list.filter(one => one !== group) : [...list, group];
  const toggle = (group: string) => groups.first.includes(group) ? setOff(flip(off, group)) : setOn(flip(on, group));
  const legend = (): LegendLine[] => [
    ...cycle.length > 0 ? [{style: kCycleStyle, name: 'the cycle', text: 'each edge with its relation and its rule'}] : [],
    ...all.filter(group => shown.includes(group)).map(group => ({style: styleOfGroup(group), name: group, text: groupName(group)})),
  ];
  const save = () => saveSvg(forFile(stage.current!.querySelector('svg.graph') as SVGSVGElement, title, legend()), file);
  const onKey = (event: KeyboardEvent) => {
    const factor = {'+': kStep, '=': kStep, '-': 1 / kStep}[event.key];
    if (factor) change(factor);
    else if (event.key === '0') setZoom('fit');
    else return;
    event.preventDefault();
  };
  const onWheel = (event: WheelEvent) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    change(event.deltaY < 0 ? kStep : 1 / kStep);
  };
  return (
    <>
      <div class="row">
        <button type="button" class="small" aria-label="Smaller" title="-" onClick={() => change(1 / kStep)}>−</button>
        <button type="button" class="small" aria-label="Larger" title="+" onClick={() => change(kStep)}>+</button>
        <button type="button" class="small" aria-pressed={zoom === 'fit'} title="0" onClick={() => setZoom('fit')}>Fit to the width</button>
        <button type="button" class="small" onClick={save}>Save as SVG</button>
      </div>
      <div class="stage" ref={stage} tabIndex={0} role="group" aria-label="Execution graph" onKeyDown={onKey} onWheel={onWheel} {...usePan(stage)}>
        <GraphView graph={graph} shown={shown} cycle={cycle} title={title} scale={scale} onDrawn={onDrawn} onLine={onLine} />
      </div>
      <Relations groups={all} shown={shown} cycle={cycle.length > 0} onToggle={toggle} />
    </>
  );
}
