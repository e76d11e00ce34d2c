/** The thread of the engine: answers one request after the other. */
import {openEngine} from '../../wasm/engine.mjs';

declare const createEngine: unknown;

let opened: Promise<Record<string, (request: unknown) => unknown>> | null = null;

self.onmessage = async ({data}) => {
  if (data.base) {
    const open = async () => {
      importScripts(new URL('engine.js', data.base).href);
      return openEngine(createEngine, {locateFile: (name: string) => new URL(name, data.base).href});
    };
    opened = open();
    // The first request is answered with the error.
    opened.catch(() => {});
    return;
  }
  try {
    const engine = await opened!;
    self.postMessage({id: data.id, value: engine[data.call](data.request)});
  } catch (error) {
    // What WebAssembly throws is the end of this engine: memory ran out, or heddle is wrong.
    const text = String((error as Error).message ?? error);
    const outOfMemory = /memory|OOM|allocation/i.test(text);
    self.postMessage({
      id: data.id,
      fatal: true,
      error: outOfMemory ? 'The test needs more memory than the page gives it (1 GB): make it smaller, or run it with heddle litmus.'
                         : `The engine stopped: ${text}`,
    });
  }
};
