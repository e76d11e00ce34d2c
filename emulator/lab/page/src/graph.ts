/** Where the parts of an execution graph go: elkjs, in a Worker of its own. */
import ELK, {type ElkExtendedEdge, type ElkNode} from 'elkjs/lib/elk-api';
import elkWorker from 'elkjs/lib/elk-worker.min.js?url';
import type {CycleEdge, Edge, Graph} from './answer';

export interface Box {
  id: string;
  x: number;
  y: number;
  width: number;
  height: number;
  lines: string[];
  racing: boolean;
  /** Line of the test, 0 for an initial value. */
  line: number;
}
export interface Column {
  x: number;
  y: number;
  width: number;
  height: number;
  title: string;
  place: string;
}
export interface Arrow {
  relation: string;
  /** It is an edge of the cycle that is forbidden. */
  cycle: boolean;
  points: [number, number][];
  label: {x: number; y: number; text: string} | null;
  title: string;
}
export interface Drawing {
  width: number;
  height: number;
  columns: Column[];
  boxes: Box[];
  arrows: Arrow[];
}

/** What a relation is called in a sentence. */
export const kRelations: Record<string, string> = {
  po: 'program order', rf: 'reads from', fr: 'reads before', smo: 'modification order', sw: 'synchronizes with',
  ssw: 'system-synchronizes with', hb: 'happens before', locord: 'location order', chain: 'the way of a write to another operation',
  race: 'data race', missing: 'missing link',
};

let elk: InstanceType<typeof ELK> | null = null;
function layouter() {
  elk ??= new ELK({workerUrl: elkWorker});
  return elk;
}

/** Starts the layouter and lays out a graph some times, so that the first one need not wait for the browser's compiler. */
export async function warmUp() {
  const operation = (thread: number, line: number) => ({thread, line, column: 1, text: 'st.atom.dv.sc0 x, 1', variable: 'x', written: 1});
  const graph: Graph = {
    threads: [{name: 'P0', place: 'sg 0, wg 0, qf 0'}, {name: 'P1', place: 'sg 0, wg 1, qf 0'}],
    operations: [operation(0, 1), operation(0, 2), operation(1, 1), operation(1, 2)],
    edges: [{from: 0, to: 1, relation: 'po'}, {from: 2, to: 3, relation: 'po'}, {from: 1, to: 2, relation: 'rf'},
      {from: 1, to: 2, relation: 'sw'}, {from: -1, to: 3, relation: 'rf'}],
    races: [[0, 3]],
  };
  // One after the other: a graph that is asked for meanwhile is the next.
  for (let i = 0; i < 12; ++i) await layOut(graph, groupsOf(graph).first);
}

const kCharacter = 7.3;

function linesOf(graph: Graph, index: number): string[] {
  const operation = graph.operations[index];
  const lines = [operation.text];
  const effects = [];
  if (operation.read !== undefined) effects.push(`reads ${operation.variable} = ${operation.read}`);
  if (operation.written !== undefined) effects.push(`writes ${operation.variable} = ${operation.written}`);
  if (effects.length > 0) lines.push(effects.join(', '));
  return lines;
}

interface Link {
  from: string;
  to: string;
  relation: string;
  label: string;
  title: string;
  cycle: boolean;
}

/** What is switched on and off together: a relation; `hb` by its storage classes. */
export function groupOf(edge: Edge): string {
  return edge.classes && edge.classes.length > 0 ? `${edge.relation} ${edge.classes.join(', ')}` : edge.relation;
}

/** The relations that a graph has: those that it is drawn with at first, then those that wait to be switched on. */
export function groupsOf(graph: Graph): {first: string[]; more: string[]} {
  const first = new Set(graph.edges.map(groupOf));
  if (graph.races.length > 0) first.add('race');
  const all = [...graph.edges, ...graph.more ?? []];
  const more = new Set(all.map(groupOf));
  if (all.some(edge => edge.chain)) more.add('chain');
  return {first: [...first], more: [...more].filter(group => !first.has(group))};
}

/** The clause of the specification that an anchor names, as short as it can be said. */
export function clauseName(clause: string): string {
  return clause.replace(/^memory-model-/, '').replace(/-/g, ' ');
}

function sameEdge(a: Edge, b: Edge): boolean {
  return a.from === b.from && a.to === b.to && a.relation === b.relation;
}

/** The edges that are drawn. Those of the cycle are, whatever is switched off. */
function linksOf(graph: Graph, shown: Set<string>, cycle: CycleEdge[]): Link[] {
  const end = (index: number, other: number) => index < 0 ? `i${graph.operations[other].variable}` : `o${index}`;
  const nameOf = (index: number, other: number) => index < 0 ? `${graph.operations[other].variable} at first` : graph.operations[index].text;
  const link = (edge: Edge, relation: string, more: Partial<Link> = {}): Link => ({
    from: end(edge.from, edge.to), to: end(edge.to, edge.from), relation, label: relation === 'po' ? '' : relation, cycle: false,
    title: `${nameOf(edge.from, edge.to)} ${relation === 'rf' ? 'is read by' : `${kRelations[relation] ?? relation}:`} ${nameOf(edge.to, edge.from)}`, ...more,
  });
  const all = [...graph.edges, ...graph.more ?? []];
  const plain = all.filter(edge => shown.has(groupOf(edge)) && !cycle.some(one => sameEdge(one, edge)));
  return [
    ...plain.map(edge => link(edge, edge.relation, edge.classes && edge.classes.length > 0 ? {label: groupOf(edge)} : {})),
    ...cycle.map(edge => link(edge, edge.relation, {cycle: true, label: `${edge.relation}: ${clauseName(edge.clause)}`, title: edge.text.replace(/`/g, '')})),
    ...shown.has('chain') ? all.flatMap(edge => (edge.chain?.through ?? []).slice(1).map((to, i) =>
      link({from: edge.chain!.through[i], to, relation: 'chain'}, 'chain', {title: edge.chain!.text.replace(/`/g, '')}))) : [],
    ...shown.has('race') ? graph.races.map(([from, to]) => link({from, to, relation: 'race'}, 'race')) : [],
  ];
}

/** The points of an edge; elk gives them relative to the node that contains the edge, whose place is `origin`. */
function pointsOf(edge: ElkExtendedEdge, origin: {x: number; y: number}): [number, number][] {
  const section = edge.sections![0];
  return [section.startPoint, ...(section.bendPoints ?? []), section.endPoint].map(p => [p.x + origin.x, p.y + origin.y]);
}

/**
 * Lays out an execution: a frame for each thread, program order downwards, arrows with their names. `shown` are the groups
 * of edges that are drawn.
 */
export async function layOut(graph: Graph, shown: string[], cycle: CycleEdge[] = []): Promise<Drawing> {
  const racing = new Set(graph.races.flat());
  const boxes = new Map<string, Box>();
  const box = (id: string, lines: string[], line: number, isRacing: boolean): ElkNode => {
    const width = Math.max(...lines.map(one => one.length)) * kCharacter + 20;
    const height = lines.length * 17 + 14;
    boxes.set(id, {id, x: 0, y: 0, width, height, lines, line, racing: isRacing});
    return {id, width, height};
  };
  const threads: ElkNode[] = graph.threads.map((thread, index) => ({
    id: `t${index}`,
    layoutOptions: {'elk.padding': '[top=48,left=14,bottom=14,right=14]', 'elk.nodeSize.constraints': 'MINIMUM_SIZE',
      'elk.nodeSize.minimum': `(${thread.place.length * kCharacter + 30}, 60)`},
    children: graph.operations.flatMap((operation, i) =>
      operation.thread === index ? [box(`o${i}`, linesOf(graph, i), operation.line, racing.has(i))] : []),
  }));
  const links = linksOf(graph, new Set(shown), cycle);
  const initial = new Set(links.flatMap(link => [link.from, link.to]).filter(id => id.startsWith('i')));
  const first = [...initial].map(id => box(id, [`${id.slice(1)} at first`], 0, false));
  const root: ElkNode = {
    id: 'root',
    layoutOptions: {
      'elk.algorithm': 'layered', 'elk.direction': 'DOWN', 'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
      'elk.layered.spacing.nodeNodeBetweenLayers': '44', 'elk.spacing.nodeNode': '48', 'elk.spacing.edgeLabel': '4',
      'elk.edgeRouting': 'POLYLINE', 'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
      'elk.padding': '[top=12,left=12,bottom=12,right=12]',
    },
    children: [...first, ...threads],
    edges: links.map((link, i) => ({
      id: `e${i}`, sources: [link.from], targets: [link.to],
      labels: link.label === '' ? [] : [{id: `l${i}`, text: link.label, width: link.label.length * kCharacter + 6, height: 16}],
    })),
  };
  const done = await layouter().layout(root);
  const columns: Column[] = [];
  const origins = new Map<string, {x: number; y: number}>();
  const place = (node: ElkNode, dx: number, dy: number) => {
    const x = dx + (node.x ?? 0);
    const y = dy + (node.y ?? 0);
    origins.set(node.id, {x, y});
    const known = boxes.get(node.id);
    if (known) Object.assign(known, {x, y, width: node.width, height: node.height});
    if (node.id.startsWith('t')) {
      const thread = graph.threads[Number(node.id.slice(1))];
      columns.push({x, y, width: node.width!, height: node.height!, title: thread.name, place: thread.place});
    }
    for (const child of node.children ?? []) place(child, x, y);
  };
  for (const child of done.children!) place(child, 0, 0);
  const arrows = (done.edges as ElkExtendedEdge[]).map((edge, i) => {
    const label = edge.labels?.[0];
    const {relation, cycle: inCycle, title} = links[i];
    const origin = origins.get((edge as {container?: string}).container ?? '') ?? {x: 0, y: 0};
    return {
      relation, cycle: inCycle, title, points: pointsOf(edge, origin),
      label: label ? {x: origin.x + label.x! + label.width! / 2, y: origin.y + label.y! + 12, text: links[i].label} : null,
    };
  });
  return {width: done.width!, height: done.height!, columns, boxes: [...boxes.values()], arrows};
}
