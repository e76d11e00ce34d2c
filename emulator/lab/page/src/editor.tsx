/** The editor: CodeMirror with the dialect, errors in place, and marks on lines. */
import {defaultKeymap, history, historyKeymap} from '@codemirror/commands';
import {lintGutter, setDiagnostics, type Diagnostic} from '@codemirror/lint';
import {Annotation, EditorState} from '@codemirror/state';
import {EditorView, drawSelection, keymap, lineNumbers} from '@codemirror/view';
import {useEffect, useRef} from 'preact/hooks';
import type {Edit} from './answer';
import {wordHover, type Explain} from './hover';
import {litmus} from './language';

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

function diagnostics(state: EditorState, problems: Problem[]): Diagnostic[] {
  return problems.map(({line, column, message, severity}) => {
    const row = state.doc.line(Math.min(Math.max(line, 1), state.doc.lines));
    const from = Math.min(row.from + column - 1, row.to);
    const word = /^[\w.]+/.exec(state.sliceDoc(from, row.to));
    return {from, to: Math.min(from + Math.max(word?.[0].length ?? 1, 1), state.doc.length), severity, message};
  });
}

/** Marks a change that the page made. */
const fromOutside = Annotation.define<boolean>();

interface Props {
  text: string;
  problems: Problem[];
  /** The sentences about a word. */
  explain: Explain;
  onText: (text: string) => void;
  onRun: () => void;
}

export function Editor({text, problems, explain, onText, onRun}: Props) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>();
  // What was written and has not come back as `text` yet: it is no news for the editor, which may be further by then.
  const written = useRef<string[]>([]);
  const calls = useRef({onText, onRun});
  calls.current = {onText, onRun};

  useEffect(() => {
    view.current = new EditorView({
      parent: place.current!,
      state: EditorState.create({
        doc: text,
        extensions: [
          lineNumbers(), history(), drawSelection(), lintGutter(), litmus, wordHover(explain),
          keymap.of([{key: 'Mod-Enter', run: () => (calls.current.onRun(), true)}, ...defaultKeymap, ...historyKeymap]),
          EditorView.contentAttributes.of({'aria-label': 'Litmus test', spellcheck: 'false', autocapitalize: 'off'}),
          EditorView.updateListener.of(update => {
            if (!update.docChanged || update.transactions.some(one => one.annotation(fromOutside))) return;
            written.current.push(update.state.doc.toString());
            calls.current.onText(update.state.doc.toString());
          }),
        ],
      }),
    });
    return () => view.current?.destroy();
  }, []);

  useEffect(() => {
    const editor = view.current!;
    const now = editor.state.doc.toString();
    const own = written.current.indexOf(text);
    written.current.splice(0, own < 0 ? Infinity : own + 1);
    if (own < 0 && now !== text) editor.dispatch({changes: {from: 0, to: now.length, insert: text}, annotations: fromOutside.of(true)});
  }, [text]);

  useEffect(() => {
    const editor = view.current!;
    editor.dispatch(setDiagnostics(editor.state, diagnostics(editor.state, problems)));
  }, [problems, text]);

  return <div class="editor" ref={place} />;
}
