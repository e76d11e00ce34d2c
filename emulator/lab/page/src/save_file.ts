/** What the page gives as a file. */
export function saveText(text: string, name: string, type: string) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], {type}));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** A drawing of the page. */
export function saveSvg(svg: SVGSVGElement, name: string) {
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(svg)}\n`;
  saveText(text, `${name.replace(/[^\w.+-]+/g, '-') || 'execution'}.svg`, 'image/svg+xml');
}
