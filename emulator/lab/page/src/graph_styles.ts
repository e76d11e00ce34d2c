/** Colours that the colour-blind can tell apart (Okabe and Ito, 2008), and a pattern for each as well. */
export interface LineStyle {
  stroke: string;
  /** The colour of words: darker, to be read on white and on the grey of a thread. */
  ink: string;
  dash?: string;
  width?: number;
}

const kStyles: Record<string, LineStyle> = {
  po: {stroke: '#7a8490', ink: '#44505c'},
  rf: {stroke: '#009e73', ink: '#00664b'},
  fr: {stroke: '#cc79a7', ink: '#8e3b69', dash: '7 2 2 2'},
  smo: {stroke: '#0072b2', ink: '#005a8c', dash: '6 3'},
  sw: {stroke: '#e69f00', ink: '#7d5400', width: 2.5},
  ssw: {stroke: '#e69f00', ink: '#7d5400', width: 2.5, dash: '8 3'},
  hb: {stroke: '#3d8fc4', ink: '#1f6390', dash: '2 2'},
  locord: {stroke: '#8a6bbf', ink: '#5d3f94', dash: '2 3'},
  chain: {stroke: '#3a3a3a', ink: '#3a3a3a', dash: '4 2 1 2'},
  race: {stroke: '#d55e00', ink: '#a24500', width: 3, dash: '10 4 2 4'},
};

/** How the edges of a cycle are drawn, of whatever relation they are. */
export const kCycleStyle: LineStyle = {stroke: '#c1121f', ink: '#a50f1a', width: 3.5};

/** The style of a group of edges: of its relation, the first word. */
export function styleOfGroup(group: string): LineStyle {
  return kStyles[group.split(' ')[0]] ?? kStyles.locord;
}

export const kRelationsDrawn = Object.keys(kStyles);
