/** Games that the browser keeps: by the program, so that words about it may change. */
import type {Break, State} from './game';
import {isModule, moduleProgram} from './module_text';
import {keep, kept} from './store';

export interface KeptGame {
  program: string;
  moves: string[];
  at: number;
  bookmarks: {name: string; at: number}[];
  breaks: Break[];
}

/** Older games are forgotten. */
const kMost = 20;

/** What of a test's text is its program: without the words before the first brace, comments and spaces. */
export function programOf(text: string): string {
  if (isModule(text)) return moduleProgram(text);
  const begin = Math.max(text.indexOf('{'), 0);
  return text.slice(begin).replace(/\(\*[^]*?\*\)|<<[^]*?>>/g, ' ').replace(/\s+/g, ' ').replace(/ ?([^\w.]) ?/g, '$1').trim();
}

export function keptGame(text: string): KeptGame | undefined {
  const program = programOf(text);
  return kept<KeptGame[]>('games', []).find(game => game.program === program);
}

export function keepGame(text: string, {history, at, bookmarks, breaks}: State) {
  const game: KeptGame = {program: programOf(text), moves: history.map(entry => entry.move), at, bookmarks, breaks};
  const others = kept<KeptGame[]>('games', []).filter(one => one.program !== game.program);
  keep('games', [game, ...others].slice(0, kMost));
}
