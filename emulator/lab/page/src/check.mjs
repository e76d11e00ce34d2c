// Whether a challenge is solved: asked of the explorer, never of a list of answers. `ask` is what answers a request, as
// `heddle litmus --json` does: (request) => answer or a promise of it.

const kMnemonic = /^(?:ld|st|rmw|membar|cbar)(?:\.\w+)*/;

/**
 * A test in parts: all up to the row of the threads, the cells of each thread, and all behind the rows.
 * @param {string} text
 * @returns {{before: string, after: string, threads: {place: string, code: string[]}[]} | null}
 */
export function partsOf(text) {
  const bare = text.replace(/\(\*[^]*?\*\)/g, '');
  const lines = bare.split(/\r?\n/);
  const head = lines.findIndex(line => /^\s*[HBP]\d+@/.test(line));
  if (head < 0) return null;
  let end = lines.findIndex((line, i) => i > head && /^\s*(?:~?exists|not\s|forall|filter|locations)/.test(line));
  if (end < 0) end = lines.length;
  const rows = lines.slice(head, end).filter(line => line.trim() !== '');
  const cells = rows.map(row => row.replace(/;\s*$/, '').split('|').map(cell => cell.trim().replace(/\s+/g, ' ')));
  const width = cells[0].length;
  if (cells.some(row => row.length !== width)) return null;
  return {
    before: lines.slice(0, head).join('\n'), after: lines.slice(end).join('\n'),
    threads: cells[0].map((place, t) => ({place, code: cells.slice(1).map(row => row[t]).filter(cell => cell !== '')})),
  };
}

function textOf({before, threads, after}) {
  const height = Math.max(...threads.map(thread => thread.code.length));
  const rows = [threads.map(thread => thread.place)];
  for (let i = 0; i < height; ++i) rows.push(threads.map(thread => thread.code[i] ?? ''));
  return `${before}\n${rows.map(row => ` ${row.join(' | ')} ;`).join('\n')}\n${after}`;
}

/** What of an instruction a challenge does not let one change: all but orders, scopes, classes that are ordered, and so on. */
function fixed(instruction) {
  const words = (kMnemonic.exec(instruction)?.[0] ?? '').split('.');
  const kept = words.filter((word, i) => i === 0 || /^(?:sc\d|scin|add|sub|mul|and|or|xor)$/.test(word));
  return kept.join('.') + instruction.replace(kMnemonic, '');
}

/** What a challenge lets one add: fences, or what takes a value from the host to the device and back. */
const kAdded = {fences: /^membar\b/, host: /^(?:flush|invalidate|wait|dep)\b/};
const isAdded = (challenge, instruction) => kAdded[challenge.may]?.test(instruction) ?? false;

/** Why this is no edit that the challenge allows; an empty string if it is one. */
export function notAllowed(challenge, text) {
  const now = partsOf(text);
  const then = partsOf(challenge.text);
  if (!now) return 'Rows and columns of the test do not fit together.';
  if (now.threads.length !== then.threads.length) return 'The threads have to stay.';
  let changed = 0;
  for (let t = 0; t < then.threads.length; ++t) {
    if (now.threads[t].place.replace(/\s/g, '') !== then.threads[t].place.replace(/\s/g, '')) return 'Where the threads are has to stay.';
    const mine = now.threads[t].code.filter(one => !isAdded(challenge, one));
    const theirs = then.threads[t].code;
    if (mine.length !== theirs.length) return 'The instructions have to stay; only what the challenge names may be added.';
    for (let i = 0; i < mine.length; ++i) {
      if (fixed(mine[i]) !== fixed(theirs[i])) return `\`${theirs[i]}\` may get other tags, and no more: \`${mine[i]}\` is another instruction.`;
      if (challenge.frozen?.includes(theirs[i]) && mine[i] !== theirs[i]) return `\`${theirs[i]}\` has to stay as it is.`;
      if (mine[i] !== theirs[i]) ++changed;
    }
  }
  if (challenge.most !== undefined && changed > challenge.most)
    return `${changed} instructions are changed, and ${challenge.most} may be.`;
  return '';
}

/** The test of the challenge with these instructions, and an assertion. */
function asking(challenge, parts, condition) {
  const filter = partsOf(challenge.text).after.split('\n').filter(line => line.startsWith('filter'));
  const before = partsOf(challenge.text).before;
  const after = [...filter, condition ? `exists (${condition})` : partsOf(challenge.text).after.split('\n').find(line => /exists|forall/.test(line)), ''].join('\n');
  return textOf({before, threads: parts.threads, after});
}

/** Whether the goal holds of these instructions, and why not: `{error}`, or `{holds, why}`. */
async function goalHolds(ask, challenge, parts) {
  const {forbid, allow, raceFree} = challenge.goal;
  const answer = await ask({file: `${challenge.id}.litmus`, source: asking(challenge, parts, forbid ?? allow)});
  if (answer.error) return {error: answer.error};
  if (!answer.complete || answer.executions === 0) return {holds: false, why: 'No execution comes to an end.'};
  if (raceFree && answer.racy) return {holds: false, why: 'There is a data race.'};
  if (forbid && answer.holds) return {holds: false, why: `Some execution still ends with ${forbid}.`};
  if (allow && !answer.holds) return {holds: false, why: `No execution ends with ${allow}.`};
  return {holds: true};
}

/** A call of the host or a dependency with a single thing less: without it, without an access, with the stages of kernels alone. */
function hostWeakenings(instruction) {
  const [call, ...masks] = instruction.split(' ');
  if (call !== 'dep') return [''];
  const less = mask => {
    const [stages, ...accesses] = mask.split('.');
    return [...accesses.map((_, i) => [stages, ...accesses.filter((_, k) => k !== i)].join('.')),
      ...(stages === 'all' ? [['compute', ...accesses].join('.')] : []),
      ...accesses.flatMap((one, i) => one.startsWith('memory_') ? ['shader_', 'host_'].map(kind => [stages, ...accesses.with(i, one.replace('memory_', kind))].join('.')) : [])];
  };
  return ['', ...masks.flatMap((mask, i) => less(mask).map(one => [call, ...masks.with(i, one)].join(' ')))];
}

/** Every instruction that is this one with a single thing less; an empty text is none at all. */
export function weakenings(instruction) {
  if (kAdded.host.test(instruction)) return hostWeakenings(instruction);
  const match = kMnemonic.exec(instruction);
  if (!match) return [];
  const words = match[0].split('.');
  const rest = instruction.slice(match[0].length);
  const out = new Set();
  const add = list => out.add(list.join('.') + rest);
  const relaxed = list => list.filter(word => !/^(?:acq|rel|acq_rel|sem\w+)$/.test(word));
  const classes = words.filter(word => /^semsc\d$/.test(word));
  for (const [i, word] of words.entries()) {
    const without = words.filter((_, k) => k !== i);
    const instead = (...others) => [...words.slice(0, i), ...others, ...words.slice(i + 1)];
    if (word === 'semav' || word === 'semvis' || word === 'nonpriv') add(without);
    if (/^semsc\d$/.test(word) && classes.length > 1) add(without);
    if (word === 'av' || word === 'vis') add([...words.slice(0, i), 'nonpriv', ...words.slice(i + 2)]);
    if (word === 'acq_rel') {
      add(instead('acq').filter(one => one !== 'semav'));
      add(instead('rel').filter(one => one !== 'semvis'));
    }
    if ((word === 'acq' || word === 'rel') && words[0] !== 'membar') add(relaxed(words));
    const scopes = ['sg', 'wg', 'qf', 'dv'];
    if (scopes.indexOf(word) > 0) add(instead(scopes[scopes.indexOf(word) - 1]));
    if (word === 'atom' && words[0] !== 'rmw') add(relaxed(words).filter(one => one !== 'atom' && !scopes.includes(one)));
  }
  if (words[0] === 'membar') out.add('');
  out.delete(instruction);
  return [...out];
}

/** A single weaker instruction with which the goal holds as well; null if there is none. */
async function weaker(ask, challenge, parts) {
  for (const [t, thread] of parts.threads.entries()) {
    for (const [i, instruction] of thread.code.entries()) {
      for (const weak of weakenings(instruction)) {
        const code = thread.code.map((one, k) => (k === i ? weak : one)).filter(one => one !== '');
        const threads = parts.threads.map((one, k) => (k === t ? {...one, code} : one));
        const found = await goalHolds(ask, challenge, {...parts, threads});
        if (found.holds) return {instruction, weak};
      }
    }
  }
  return null;
}

/**
 * Whether the edited text solves the challenge.
 * @returns {Promise<{solved: boolean, text: string}>}
 */
export async function checkEdit(ask, challenge, text) {
  const whole = await ask({file: `${challenge.id}.litmus`, source: text, limit: 1});
  if (whole.error) return {solved: false, text: `This is no test: ${whole.error}`};
  const no = notAllowed(challenge, text);
  if (no) return {solved: false, text: no};
  const parts = partsOf(text);
  const goal = await goalHolds(ask, challenge, parts);
  if (goal.error) return {solved: false, text: `This is no test: ${goal.error}`};
  if (!goal.holds) return {solved: false, text: goal.why ?? ''};
  if (challenge.minimal) {
    const less = await weaker(ask, challenge, parts);
    if (less) return {solved: false, text: less.weak ? `It holds, and a weaker instruction would do as well: \`${less.instruction}\` can be weaker.`
                                                     : `It holds, and \`${less.instruction}\` is not needed.`};
  }
  return {solved: true, text: challenge.minimal ? 'Solved: it holds, and with any single thing less it would not.' : 'Solved: the explorer agrees.'};
}

/** Which options have the property of the challenge, by the explorer: an array of true and false. */
export async function truth(ask, challenge) {
  if (challenge.property === 'racy')
    return Promise.all(challenge.options.map(async ({label, text}) => (await ask({file: `${label}.litmus`, source: text})).racy));
  const {outcomes} = await ask({file: `${challenge.id}.litmus`, source: challenge.text});
  return challenge.options.map(({outcome}) => outcomes.some(one => Object.entries(outcome).every(([name, value]) => one[name] === value)));
}

/**
 * Whether exactly the right options are picked.
 * @returns {Promise<{solved: boolean, text: string}>}
 */
export async function checkPick(ask, challenge, picked) {
  const right = await truth(ask, challenge);
  const wrong = right.findIndex((one, i) => one !== picked.includes(i));
  if (wrong < 0) return {solved: true, text: 'Solved: the explorer agrees.'};
  const missed = right.filter((one, i) => one && !picked.includes(i)).length;
  const extra = picked.filter(i => !right[i]).length;
  return {solved: false, text: `Not yet: ${missed} of the right ones ${missed === 1 ? 'is' : 'are'} not picked, and ${extra} of the picked ones ${extra === 1 ? 'is' : 'are'} wrong.`};
}

/** Whether a game ended as the challenge asks; `state` is what the desk says of it (PROTOCOL.md). */
export function checkReach(challenge, state) {
  if (!state.ended) return {solved: false, text: 'The game has not ended yet.'};
  if (!state.passes_filter) return {solved: false, text: state.verdict};
  const reached = Object.entries(challenge.outcome).every(([name, value]) => state.outcome[name] === value);
  if (reached) return {solved: true, text: 'Solved: this is a game that ends so.'};
  return {solved: false, text: `This game ended with ${Object.entries(state.outcome).map(([name, value]) => `${name}=${value}`).join(' ')}.`};
}
