/** A drawing of the page as a file. */
export function saveSvg(svg: SVGSVGElement, name: string) {
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(svg)}\n`;
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], {type: 'image/svg+xml'}));
  link.download = `${name.replace(/[^\w.+-]+/g, '-') || 'execution'}.svg`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
