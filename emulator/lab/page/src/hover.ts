/** What a word means, shown where the pointer rests on it in the editor. */
import {hoverTooltip, type EditorView} from '@codemirror/view';

/** The sentences about a word of the text; none for a name of one's own. */
export type Explain = (word: string, text: string) => string[];

/** The word around a place of a line: letters and digits, without the dots between tags. */
function wordAround(line: string, at: number): {begin: number; end: number} | null {
  const isPart = (i: number) => /\w/.test(line[i] ?? '');
  if (!isPart(at)) return null;
  let begin = at;
  let end = at + 1;
  while (isPart(begin - 1)) --begin;
  while (isPart(end)) ++end;
  return {begin, end};
}

/** An extension of the editor that asks `explain` for the word under the pointer. */
export function wordHover(explain: Explain) {
  return hoverTooltip((view: EditorView, position: number) => {
    const line = view.state.doc.lineAt(position);
    const around = wordAround(line.text, position - line.from);
    if (!around) return null;
    const word = line.text.slice(around.begin, around.end);
    const sentences = explain(word, view.state.doc.toString());
    if (sentences.length === 0) return null;
    return {
      pos: line.from + around.begin, end: line.from + around.end, above: true,
      create: () => {
        const dom = document.createElement('div');
        dom.className = 'word-meaning';
        for (const sentence of sentences) dom.append(Object.assign(document.createElement('div'), {textContent: sentence}));
        return {dom};
      },
    };
  });
}
