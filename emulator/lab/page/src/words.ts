/** What the words of the notation mean, wherever one meets them: in the editor, in lessons, in graphs. */
import {createContext} from 'preact';

/** A word, as the answer to `words` has it (emulator/lab/PROTOCOL.md). */
export interface Word {
  word: string;
  calls: string;
  kind: string;
  text: string;
}

/** All words; none until the engine has told them. */
export const AllWords = createContext<Word[]>([]);

/** The entries of a word in either spelling. */
function entriesOf(word: string, all: Word[]): Word[] {
  return all.filter(one => word !== '' && (one.word === word || one.calls === word));
}

/** A sentence for each word of some code that has one, each once. */
export function explained(code: string, all: Word[]): string {
  const words = new Set(code.match(/[A-Za-z_~]\w*/g) ?? []);
  const lines = [...words].flatMap(word => entriesOf(word, all).map(one => `${word}: ${one.text.replace(/`/g, '')}`));
  return [...new Set(lines)].join('\n');
}
