/** The editor: CodeMirror with the dialect, errors in place, and marks on lines. */
import {defaultKeymap, history, historyKeymap} from '@codemirror/commands';
import {lintGutter, setDiagnostics, type Diagnostic} from '@codemirror/lint';
import {Annotation, Compartment, EditorState, type Text} from '@codemirror/state';
import {EditorView, drawSelection, keymap, lineNumbers} from '@codemirror/view';
import {useContext, useEffect, useRef, useState} from 'preact/hooks';
import type {Edit} from './answer';
import {wordHover} from './hover';
import {litmus} from './language';
import {isModule, moduleLanguage} from './module_text';
import {meaning} from './notation';
import {linesOfTest, placeInStacked, stacked, unstacked, widthOf} from './stacked';
import {keep, kept} from './store';
import {AllWords, type Word} from './words';

export interface Problem {
  line: number;
  column: number;
  message: string;
  severity: 'error' | 'warning';
}

/** The text after the edits, which are in the order of the text. */
export function applied(text: string, edits: Edit[]): string {
  const lines = text.split('\n');
  for (const edit of [...edits].reverse()) {
    const line = lines[edit.line - 1];
    lines[edit.line - 1] = line.slice(0, edit.column - 1) + edit.new + line.slice(edit.column - 1 + edit.old.length);
  }
  return lines.join('\n');
}

function diagnostics(state: EditorState, problems: Problem[], test: string): Diagnostic[] {
  const shown = state.doc.toString();
  return problems.map(({line, column, message, severity}) => {
    const at = shown === test ? {line, column} : placeInStacked(test, shown, line, column);
    const row = state.doc.line(Math.min(Math.max(at.line, 1), state.doc.lines));
    const from = Math.min(row.from + at.column - 1, row.to);
    const word = /^[\w.]+/.exec(state.sliceDoc(from, row.to));
    return {from, to: Math.min(from + Math.max(word?.[0].length ?? 1, 1), state.doc.length), severity, message};
  });
}

const numbers = new WeakMap<Text, number[]>();
/** The number of the test's line that a line of the editor belongs to. */
function numberOf(line: number, {doc}: EditorState): string {
  if (!numbers.has(doc)) numbers.set(doc, linesOfTest(doc.toString()));
  return String(numbers.get(doc)![line - 1] ?? line);
}

type Layout = 'auto' | 'stacked' | 'beside';

const wrapping = new Compartment();
const language = new Compartment();
const languageOf = (text: string) => isModule(text) ? moduleLanguage : litmus;
/** Marks a change that the page made. */
const fromOutside = Annotation.define<boolean>();

interface Props {
  text: string;
  problems: Problem[];
  /** The line of the test that is to be seen. */
  sought: {line: number} | null;
  onText: (text: string) => void;
  onRun: () => void;
}

export function Editor({text, problems, sought, onText, onRun}: Props) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>();
  // What was written and has not come back as `text` yet: it is no news for the editor, which may be further by then.
  const written = useRef<string[]>([]);
  const latest = useRef(text);
  latest.current = text;
  const calls = useRef({onText, onRun});
  calls.current = {onText, onRun};
  const words = useRef<Word[]>([]);
  words.current = useContext(AllWords);
  const [layout, setLayout] = useState<Layout>(() => kept<Layout>('layout', 'auto'));
  const [room, setRoom] = useState(0);
  useEffect(() => keep('layout', layout), [layout]);

  useEffect(() => {
    view.current = new EditorView({
      parent: place.current!,
      state: EditorState.create({
        doc: text,
        extensions: [
          wrapping.of(EditorView.lineWrapping), lineNumbers({formatNumber: numberOf}), history(), drawSelection(), lintGutter(), language.of(languageOf(text)), wordHover((word, source) => meaning(word, source, words.current)),
          keymap.of([{key: 'Mod-Enter', run: () => (calls.current.onRun(), true)}, ...defaultKeymap, ...historyKeymap]),
          EditorView.contentAttributes.of({'aria-label': 'Litmus test', spellcheck: 'false', autocapitalize: 'off'}),
          EditorView.updateListener.of(update => {
            if (!update.docChanged || update.transactions.some(one => one.annotation(fromOutside))) return;
            const test = unstacked(update.state.doc.toString());
            // A blank at the end of a row changes no test.
            if (test !== (written.current[written.current.length - 1] ?? latest.current)) written.current.push(test);
            calls.current.onText(test);
          }),
        ],
      }),
    });
    // How many characters stand beside each other.
    const measure = () => {
      const editor = view.current!;
      const gutters = editor.dom.querySelector('.cm-gutters')?.clientWidth ?? 0;
      if (editor.dom.clientWidth > 0) setRoom(Math.floor((editor.dom.clientWidth - gutters - 16) / editor.defaultCharacterWidth));
    };
    const observer = new ResizeObserver(measure);
    observer.observe(place.current!);
    return () => {
      observer.disconnect();
      view.current?.destroy();
    };
  }, []);

  const narrow = room > 0 && widthOf(text) > room;
  const below = layout === 'stacked' || layout === 'auto' && narrow;
  const wasBelow = useRef(below);
  const came = useRef<string | null>(null);
  useEffect(() => {
    const editor = view.current!;
    // Where the layout alone turns around, what was written is still to come.
    const own = came.current === text ? 0 : written.current.indexOf(text);
    if (came.current !== text) written.current.splice(0, own < 0 ? Infinity : own + 1);
    came.current = text;
    const turned = wasBelow.current !== below;
    // Whoever writes is not disturbed, though a row may have become too long.
    if (own >= 0 && (!turned || editor.hasFocus && layout === 'auto')) return;
    wasBelow.current = below;
    const now = editor.state.doc.toString();
    const shown = below ? stacked(text) ?? text : text;
    if (now !== shown) editor.dispatch({changes: {from: 0, to: now.length, insert: shown}, annotations: fromOutside.of(true)});
  }, [text, below]);

  // Words wrap; rows of threads beside each other that are too wide do not.
  useEffect(() => view.current!.dispatch({effects: wrapping.reconfigure(narrow && !below ? [] : EditorView.lineWrapping)}), [narrow, below]);

  const module = isModule(text);
  useEffect(() => view.current!.dispatch({effects: language.reconfigure(languageOf(text))}), [module]);

  useEffect(() => {
    const editor = view.current!;
    const at = sought ? linesOfTest(editor.state.doc.toString()).indexOf(sought.line) + 1 : 0;
    if (at > 0) editor.dispatch({effects: EditorView.scrollIntoView(editor.state.doc.line(at).from)});
  }, [sought]);

  useEffect(() => {
    const editor = view.current!;
    editor.dispatch(setDiagnostics(editor.state, diagnostics(editor.state, problems, text)));
  }, [problems, text, below]);

  return (
    <>
      <div class="editor" ref={place} />
      {stacked(text) !== null && <button type="button" class="small" aria-pressed={below} onClick={() => setLayout(below ? 'beside' : 'stacked')}>
        Threads below each other</button>}
    </>
  );
}
