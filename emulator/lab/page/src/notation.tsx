/** The notation of tests: the two spellings, and what each word of a test means. */
import {useContext} from 'preact/hooks';
import type {Engine} from './engine';
import {prose} from './prose';
import {AllWords, type Word} from './words';

/** A test in one of its two spellings; the text as it is where it is no test. */
export async function spelled(engine: Engine, text: string, to: 'tags' | 'calls'): Promise<string> {
  const answer = await engine.desk<{ok: boolean; text?: string}>({request: 'spell', text, to});
  return answer.text ?? text;
}

/** How a test says a word. */
const inText = (one: Word, calls: boolean) => calls && one.calls ? one.calls : one.word;

/** Whether this is a test of the Vulkan dialect, which has two spellings. */
export const isVulkan = (text: string) => /^\s*vulkan\b/i.test(text);

/** The sentences about a word of a test. */
export function meaning(word: string, text: string, all: Word[]): string[] {
  if (!isVulkan(text)) return [];
  const calls = hasCalls(text);
  return all.filter(one => inText(one, calls) === word).map(one => `${word}: ${one.text.replace(/`/g, '')}`);
}

/** Whether some instruction is spelled as a call. */
export function hasCalls(text: string): boolean {
  return /(?:load|store|atomic\w+|Barrier)\(/i.test(text);
}

/** The words of the texts of a test, in the order in which they come there, each once. */
function wordsIn(text: string, all: Word[]): Word[] {
  const calls = hasCalls(text);
  const code = text.slice(text.indexOf('{') + 1).replace(/\(\*[^]*?\*\)/g, '');
  const found = code.match(/\/\\|\\\/|[A-Za-z_~]\w*/g) ?? [];
  return [...new Set(found)].flatMap(word => all.filter(one => inText(one, calls) === word));
}

/** A button that writes the test in the other spelling. */
export function SpellingButton({engine, text, onText}: {engine: Engine; text: string; onText: (text: string) => void}) {
  if (!isVulkan(text)) return null;
  const calls = hasCalls(text);
  const turn = () => void spelled(engine, text, calls ? 'tags' : 'calls').then(onText);
  return <button type="button" onClick={turn} title="The test stays the same, and is written in another way">{calls ? 'Write as tags' : 'Write as calls'}</button>;
}

/** What the words of the test mean. */
export function Words({text}: {text: string}) {
  const words = wordsIn(text, useContext(AllWords));
  if (!isVulkan(text)) return null;
  const calls = hasCalls(text);
  return (
    <details class="notation">
      <summary>What the words of this test mean</summary>
      <dl>{words.map(one => (
        <div key={one.word + one.calls + one.kind}><dt><code>{inText(one, calls)}</code>
          {one.word && one.calls && one.word !== one.calls && <span class="faint"> ({calls ? one.word : one.calls})</span>}</dt>
          <dd>{prose(one.text)}</dd></div>))}</dl>
    </details>
  );
}
