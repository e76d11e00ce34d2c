/** A drawing as it goes into a file: with its title above and its legend below. */
import type {LineStyle} from './graph_styles';

export interface LegendLine {
  style: LineStyle;
  name: string;
  text: string;
}

const kSvg = 'http://www.w3.org/2000/svg';
const kTitle = 34, kLine = 20, kCharacter = 7.5, kMargin = 14;

function element(name: string, attributes: Record<string, string | number>, text = ''): SVGElement {
  const made = document.createElementNS(kSvg, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  made.textContent = text;
  return made;
}

/** A copy of the drawing, in its own size. */
export function forFile(drawing: SVGSVGElement, title: string, legend: LegendLine[]): SVGSVGElement {
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  const {width: inner, height: innerHeight} = drawing.viewBox.baseVal;
  const words = [title, ...legend.map(line => `      ${line.name} ${line.text}`)];
  const width = Math.max(inner, Math.max(...words.map(one => one.length)) * kCharacter + 2 * kMargin + 30);
  const height = kTitle + innerHeight + legend.length * kLine + kMargin;
  copy.setAttribute('viewBox', `0 ${-kTitle} ${width} ${height}`);
  copy.setAttribute('width', String(width));
  copy.setAttribute('height', String(height));
  copy.prepend(element('rect', {x: 0, y: -kTitle, width, height, fill: '#ffffff'}));
  copy.prepend(element('title', {}, title));
  copy.append(element('text', {x: kMargin, y: -kTitle + 22, 'font-size': 14, 'font-weight': 700, fill: '#1b2430'}, title));
  legend.forEach(({style, name, text}, i) => {
    const y = innerHeight + (i + 0.7) * kLine;
    copy.append(element('line', {x1: kMargin, y1: y, x2: kMargin + 36, y2: y, stroke: style.stroke, 'stroke-width': style.width ?? 1.6,
      ...style.dash ? {'stroke-dasharray': style.dash} : {}}));
    copy.append(element('text', {x: kMargin + 46, y: y + 4, fill: '#1b2430'}, `${name}  ${text}`));
  });
  return copy;
}
