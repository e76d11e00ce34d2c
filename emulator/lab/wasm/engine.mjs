// The engine as JavaScript sees it. Both `answer.mjs` and the page's worker open it with what `engine.js` defines.

/**
 * Starts the engine. `createEngine` is what `engine.js` defines, `options` go to it (locateFile, for one).
 * Throws when the WebAssembly cannot be loaded.
 */
export async function openEngine(createEngine, options = {}) {
  const module = await createEngine(options);
  const ask = (call, text) => {
    const size = module.lengthBytesUTF8(text) + 1;
    const pointer = module._malloc(size);
    module.stringToUTF8(text, pointer, size);
    try {
      return module.UTF8ToString(call(pointer));
    } finally {
      module._free(pointer);
    }
  };
  const json = (call, request) => JSON.parse(ask(call, JSON.stringify(request)));
  return {
    /** The line that `heddle litmus --json` prints, as text: numbers keep all their digits. */
    answerText: text => ask(module._heddle_answer, text),
    /** What answerText prints, as an object. */
    answer: request => json(module._heddle_answer, request),
    /** The policies of the machine: `name` and `description` of each. */
    policies: () => JSON.parse(module.UTF8ToString(module._heddle_policies())),
    /** A request of emulator/lab/PROTOCOL.md. */
    desk: request => json(module._heddle_desk, request),
    /** Begins runs that are watched. */
    beginRuns: request => json(module._heddle_begin_runs, request),
    /** Makes more of them. */
    moreRuns: count => JSON.parse(module.UTF8ToString(module._heddle_more_runs(count))),
  };
}

/** Whether an answer is one that `heddle litmus` ends with exit code 1 for. */
export function hasFinding(answer) {
  if (answer.replay) return answer.replay.races.length > 0 || (answer.replay.freed_early ?? []).length > 0;
  if (answer.claims) return answer.claims.some(claim => !claim.holds);
  if (answer.racy || answer.freed_early || answer.holds === false) return true;
  if ((answer.undefined ?? []).length > 0) return true;
  return (answer.racy_runs ?? 0) > 0 || (answer.freed_early_runs ?? 0) > 0;
}
