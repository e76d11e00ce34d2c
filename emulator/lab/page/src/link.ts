/** The whole state of the page in a link: what stands behind `#`. Nothing is sent to a server. */

export interface SharedTest {
  name: string;
  text: string;
}
export interface Shared {
  text: string;
  name?: string;
  /** A list of tests, and its title; `text` is the first of them. */
  tests?: SharedTest[];
  title?: string;
  seed?: number;
  runs?: number;
  tab?: string;
  moves?: string[];
}

const kMost = 1 << 20;

function toText(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}

function toBytes(text: string): Uint8Array {
  return Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), c => c.charCodeAt(0));
}

/** Reads a stream to its end, or throws once it is longer than a state may be. */
async function all(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  const reader = stream.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.length;
    if (size > kMost) throw new Error('it holds more than a megabyte');
    parts.push(part.value);
  }
  const out = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

export async function toLink(state: Shared): Promise<string> {
  const bytes = new Blob([JSON.stringify(state)]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  return `#1${toText(await all(bytes as ReadableStream<Uint8Array>))}`;
}

/** What a link holds; nothing for a link without a state. Throws, with the reason, for one that is damaged. */
export async function fromLink(hash: string): Promise<Shared | null> {
  if (!/^#1./.test(hash)) return null;
  try {
    const bytes = new Blob([toBytes(hash.slice(2))]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
    const state = JSON.parse(new TextDecoder().decode(await all(bytes as ReadableStream<Uint8Array>)));
    if (typeof state?.text !== 'string') throw new Error('it has no text of a test');
    const tests = state.tests ?? [];
    if (!Array.isArray(tests) || tests.some(one => typeof one?.text !== 'string' || typeof one?.name !== 'string'))
      throw new Error('one of its tests has no text or no name');
    return state;
  } catch (error) {
    throw new Error(`This link is damaged (${(error as Error).message}). Ask for it again; your own text is still here.`);
  }
}
