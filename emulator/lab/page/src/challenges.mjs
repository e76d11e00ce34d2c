// The challenges, in an order that teaches. Whether one is solved is found out by the explorer (check.mjs).
//
// Kinds: `pick` (which of these: `property` is `racy` of tests or `allowed` of the outcomes of one test), `edit` (change the
// test until `goal` holds; `may` says what may be changed or added (`tags`, `fences`, `host`: flush, invalidate, wait and dep), `minimal` that no single weaker instruction would do, `most` how
// many instructions may change) and `reach` (play the test to an outcome).

const kInA = 'P0@sg 0, wg 0, qf 0';
const kInB = 'P1@sg 0, wg 1, qf 0';
const kInA1 = 'P1@sg 1, wg 0, qf 0';

/** A test of the Vulkan dialect; `threads` are columns, headed by their places. */
function litmus(name, variables, threads, tail) {
  const height = Math.max(...threads.map(thread => thread.length));
  const widths = threads.map(thread => Math.max(...thread.map(cell => cell.length)));
  const rows = Array.from({length: height}, (_, i) =>
      ` ${threads.map((thread, t) => (thread[i] ?? '').padEnd(widths[t])).join(' | ')} ;`);
  return `Vulkan ${name}\n{\n${variables.map(one => `${one} = 0;`).join(' ')}\n}\n${rows.join('\n')}\n${tail}\n`;
}

/** A message from one thread to another: data x, flag y. */
function message(name, {data = 'st.nonpriv.sc0', flag, see, load = 'ld.nonpriv.sc0', to = kInB}) {
  return litmus(name, ['x', 'y'], [[kInA, `${data} x, 1`, `${flag} y, 1`], [to, `${see} r0, y`, `${load} r1, x`]], kStale);
}

const kStale = 'filter (P1:r0 == 1)\nexists (P1:r1 == 0)';
const kRelease = 'st.atom.rel.dv.sc0.semsc0.semav';
const kAcquire = 'ld.atom.acq.dv.sc0.semsc0.semvis';
const kRelaxedStore = 'st.atom.dv.sc0';
const kRelaxedLoad = 'ld.atom.dv.sc0';
const kHandedOver = {forbid: 'P1:r1 == 0', raceFree: true};

const two = (name, one, other, tail, to = kInB, variables = ['x', 'y']) =>
  litmus(name, variables, [[kInA, ...one], [to, ...other]], tail);
const relaxedMessage = two('message', ['st.atom.dv.sc0 x, 1', 'st.atom.dv.sc0 y, 1'],
    ['ld.atom.dv.sc0 r0, y', 'ld.atom.dv.sc0 r1, x'], 'exists (P1:r0 == 1 /\\ P1:r1 == 0)');
const pair = (name, one, other) => two(name, [one], [other], 'exists (x == 1)', kInB, ['x']);
const outcomes = (a, b) => [[0, 0], [0, 1], [1, 0], [1, 1]].map(([x, y]) => ({label: `${a}=${x} ${b}=${y}`, outcome: {[a]: x, [b]: y}}));
const storeBuffering = (store, load) => two('store-buffering', [`${store} x, 1`, `${load} r0, y`], [`${store} y, 1`, `${load} r0, x`],
    'exists (P0:r0 == 0 /\\ P1:r0 == 0)');

/** x goes up to a kernel, which hands it on in y, and y comes back; `host` and `batch` are all that those do. */
const roundTrip = (name, host, batch) => litmus(name, ['noncoherent x; noncoherent y; x', 'y'], [
  ['H0@host', ...host], ['B0@q 0, qf 0', ...batch], ['P0@sg 0, wg 0, qf 0', 'ld.sc0 r0, x', 'st.sc0 y, r0']], 'exists (H0:r0 == 0)');
const kUp = ['st x, 1', 'flush x', 'submit B0, f'];
const kDown = ['wait f', 'invalidate y', 'ld r0, y'];
const kToHost = 'dep compute.shader_write host.host_read';

export const kChallenges = [
  {
    id: 'four-outcomes', lesson: 1, title: 'Two threads, two variables', kind: 'pick', property: 'allowed', text: relaxedMessage,
    ask: 'P0 writes x, then y; P1 reads y, then x. All are relaxed atomics. Which outcomes are allowed?',
    options: outcomes('P1:r0', 'P1:r1'), answer: [0, 1, 2, 3],
    hints: ['Does anything say that x arrives before y?', 'Relaxed atomics of two variables are not ordered for another thread: every combination is allowed.'],
  },
  {
    id: 'coherence', lesson: 1, title: 'One variable', kind: 'pick', property: 'allowed',
    text: two('one-variable', ['st.atom.dv.sc0 x, 1'], ['ld.atom.dv.sc0 r0, x', 'ld.atom.dv.sc0 r1, x'], 'exists (P1:r0 == 1 /\\ P1:r1 == 0)', kInB, ['x']),
    ask: 'P1 reads x twice. Which outcomes are allowed?', options: outcomes('P1:r0', 'P1:r1'), answer: [0, 1, 3],
    hints: ['The writes to one variable have one order.', 'A thread that has seen the new value does not see the old one afterwards.'],
  },
  {
    id: 'reach-stale', lesson: 1, title: 'Play the stale read', kind: 'reach', text: relaxedMessage, outcome: {'P1:r0': 1, 'P1:r1': 0},
    ask: 'Open Play, and reach P1:r0=1 and P1:r1=0: the flag has come, and the data have not.',
    hints: ['Let P0 write both, and deliver y alone.', 'Then let P1 read y = 1, and x from its old copy.'],
  },
  {
    id: 'which-race', lesson: 2, title: 'Which of these three are racy?', kind: 'pick', property: 'racy',
    ask: 'A write and a read of x in two threads. Which of the three have a data race?',
    options: [
      {label: 'both plain', text: pair('both-plain', 'st.sc0 x, 1', 'ld.sc0 r0, x')},
      {label: 'both atomic', text: pair('both-atomic', 'st.atom.dv.sc0 x, 1', 'ld.atom.dv.sc0 r0, x')},
      {label: 'an atomic write, a plain read', text: pair('half-atomic', 'st.atom.dv.sc0 x, 1', 'ld.sc0 r0, x')},
    ],
    answer: [0, 2], hints: ['Two accesses race unless both are atomic, or something orders them.', 'One atomic is not enough.'],
  },
  {
    id: 'who-races', lesson: 2, title: 'Reads and writes', kind: 'pick', property: 'racy', ask: 'Which of these have a data race?',
    options: [
      {label: 'two plain reads', text: pair('two-reads', 'ld.sc0 r0, x', 'ld.sc0 r0, x')},
      {label: 'two plain writes of the same value', text: pair('two-writes', 'st.sc0 x, 1', 'st.sc0 x, 1')},
      {label: 'two atomic writes', text: pair('atomic-writes', 'st.atom.dv.sc0 x, 1', 'st.atom.dv.sc0 x, 1')},
    ],
    answer: [1], hints: ['At least one of two that race is a write.', 'Values do not matter for a race.'],
  },
  {
    id: 'make-atomic', lesson: 2, title: 'No race, at the lowest price', kind: 'edit', may: 'tags', minimal: true,
    text: pair('make-atomic', 'st.sc0 x, 1', 'ld.sc0 r0, x'), goal: {raceFree: true},
    solution: pair('make-atomic', 'st.atom.qf.sc0 x, 1', 'ld.atom.qf.sc0 r0, x'),
    ask: 'Make the accesses atomic, so that there is no race. The scope must be the narrowest that will do.',
    hints: ['An atomic is written st.atom.SCOPE.sc0; scopes are sg, wg, qf, dv.', 'The threads are in two workgroups of one queue family: qf.'],
  },
  {
    id: 'break-it', lesson: 3, title: 'Break it with one change', kind: 'edit', may: 'tags', most: 1, text: message('break-it', {flag: kRelease, see: kAcquire}),
    goal: {allow: 'P1:r1 == 0'}, solution: message('break-it', {flag: kRelease, see: kRelaxedLoad}),
    ask: 'This message is safe. Change the tags of one instruction, so that P1 may read the old x.',
    hints: ['There are many ways: order, scope, class, availability.', 'Make the read of y relaxed: ld.atom.dv.sc0.'],
  },
  {
    id: 'acquire', lesson: 3, title: 'The other half', kind: 'edit', may: 'tags', text: message('acquire', {flag: kRelease, see: kRelaxedLoad}), goal: kHandedOver,
    solution: message('acquire', {flag: kRelease, see: kAcquire}),
    ask: 'P0 releases. Change the tags until P1, which has seen y = 1, never reads the old x, and there is no race.',
    hints: ['A release needs an acquire that reads it.', 'ld.atom.acq.dv.sc0.semsc0.semvis r0, y'],
  },
  {
    id: 'release', lesson: 3, title: 'The first half', kind: 'edit', may: 'tags', text: message('release', {flag: kRelaxedStore, see: kAcquire}), goal: kHandedOver,
    solution: message('release', {flag: kRelease, see: kAcquire}), ask: 'Now the release is missing. Write it.',
    hints: ['The store of y has to release.', 'st.atom.rel.dv.sc0.semsc0.semav y, 1'],
  },
  {
    id: 'fences', lesson: 3, title: 'Fences', kind: 'edit', may: 'fences', text: message('fences', {flag: kRelaxedStore, see: kRelaxedLoad}), goal: kHandedOver,
    frozen: ['st.atom.dv.sc0 y, 1', 'ld.atom.dv.sc0 r0, y'],
    solution: litmus('fences', ['x', 'y'], [
      [kInA, 'st.nonpriv.sc0 x, 1', 'membar.rel.dv.semsc0.semav', 'st.atom.dv.sc0 y, 1'],
      [kInB, 'ld.atom.dv.sc0 r0, y', 'membar.acq.dv.semsc0.semvis', 'ld.nonpriv.sc0 r1, x']], kStale),
    ask: 'Leave the flag relaxed, and add memory barriers: new rows with membar, an empty cell where a thread has nothing.',
    hints: ['A release fence stands before the write of the flag, an acquire fence behind the read.', 'membar.rel.dv.semsc0.semav and membar.acq.dv.semsc0.semvis'],
  },
  {
    id: 'store-buffering', lesson: 3, title: 'What release and acquire do not forbid', kind: 'pick', property: 'allowed', text: storeBuffering(kRelease, kAcquire),
    ask: 'Each thread releases its own variable, and then acquires the other one. Which outcomes are allowed?',
    options: outcomes('P0:r0', 'P1:r0'), answer: [0, 1, 2, 3],
    hints: ['An acquire that reads the initial value synchronizes with nothing.', 'Vulkan has no sequentially consistent atomics: 0 and 0 stays allowed.'],
  },
  {
    id: 'reach-both-old', lesson: 1, title: 'Play store buffering', kind: 'reach', text: storeBuffering(kRelaxedStore, kRelaxedLoad), outcome: {'P0:r0': 0, 'P1:r0': 0},
    ask: 'Open Play, and reach P0:r0=0 and P1:r0=0.', hints: ['Both write before either reads.', 'Deliver nothing until both have read.'],
  },
  {
    id: 'load-buffering', lesson: 1, title: 'Reading from the future', kind: 'pick', property: 'allowed',
    text: two('load-buffering', ['ld.atom.dv.sc0 r0, x', 'st.atom.dv.sc0 y, 1'], ['ld.atom.dv.sc0 r0, y', 'st.atom.dv.sc0 x, 1'], 'exists (P0:r0 == 1 /\\ P1:r0 == 1)'),
    ask: 'Each thread reads a variable, and then writes the one that the other thread reads. Which outcomes are allowed?',
    options: outcomes('P0:r0', 'P1:r0'), answer: [0, 1, 2, 3],
    hints: ['A read may be answered late, after the write behind it.', 'The written values do not depend on what was read.'],
  },
  {
    id: 'wider', lesson: 4, title: 'Far enough', kind: 'edit', may: 'tags', minimal: true,
    text: message('wider', {flag: 'st.atom.rel.wg.sc0.semsc0.semav', see: 'ld.atom.acq.wg.sc0.semsc0.semvis'}), goal: kHandedOver,
    solution: message('wider', {flag: 'st.atom.rel.qf.sc0.semsc0.semav', see: 'ld.atom.acq.qf.sc0.semsc0.semvis'}),
    ask: 'The threads are in two workgroups. Forbid the stale read with the weakest edit.',
    hints: ['Which scope is the narrowest that has both threads in it?', 'qf, on both sides.'],
  },
  {
    id: 'narrower', lesson: 4, title: 'No further than needed', kind: 'edit', may: 'tags', minimal: true,
    text: message('narrower', {flag: kRelease, see: kAcquire, to: kInA1}), goal: kHandedOver,
    solution: message('narrower', {flag: 'st.atom.rel.wg.sc0.semsc0.semav', see: 'ld.atom.acq.wg.sc0.semsc0.semvis', to: kInA1}),
    ask: 'This is safe, and dearer than it has to be. Weaken it as far as it stays safe.',
    hints: ['Both threads are in workgroup 0.', 'wg, on both sides.'],
  },
  {
    id: 'which-scope', lesson: 4, title: 'Which of these three are racy now?', kind: 'pick', property: 'racy',
    ask: 'Release and acquire between two workgroups. Which have a data race?',
    options: [
      {label: 'the release wg, the acquire dv', text: message('narrow-release', {flag: 'st.atom.rel.wg.sc0.semsc0.semav', see: kAcquire})},
      {label: 'the release qf, the acquire dv', text: message('queue-family', {flag: 'st.atom.rel.qf.sc0.semsc0.semav', see: kAcquire})},
      {label: 'both sg', text: message('subgroups', {flag: 'st.atom.rel.sg.sc0.semsc0.semav', see: 'ld.atom.acq.sg.sc0.semsc0.semvis'})},
    ],
    answer: [0, 2], hints: ['Each side has to be in the scope of the other one.', 'The queue family has both workgroups in it.'],
  },
  {
    id: 'class', lesson: 5, title: 'Name the memory', kind: 'edit', may: 'tags', minimal: true,
    text: message('class', {data: 'st.nonpriv.sc1', flag: 'st.atom.rel.wg.sc0.semsc0.semav', see: 'ld.atom.acq.wg.sc0.semsc0.semvis', load: 'ld.nonpriv.sc1', to: kInA1}),
    goal: kHandedOver,
    solution: message('class', {data: 'st.nonpriv.sc1', flag: 'st.atom.rel.wg.sc0.semsc1.semav', see: 'ld.atom.acq.wg.sc0.semsc1.semvis', load: 'ld.nonpriv.sc1', to: kInA1}),
    ask: 'The data are in Workgroup memory (sc1). Forbid the stale read, and name no class that is not needed.',
    hints: ['What the semantics do not name is not ordered.', 'The data alone need to be named: semsc1 instead of semsc0, on both sides.'],
  },
  {
    id: 'too-many-classes', lesson: 5, title: 'Name no more', kind: 'edit', may: 'tags', minimal: true,
    text: message('too-many-classes', {flag: 'st.atom.rel.qf.sc0.semsc0.semsc1.semsc2.semav', see: 'ld.atom.acq.qf.sc0.semsc0.semsc1.semsc2.semvis'}),
    goal: kHandedOver, solution: message('too-many-classes', {flag: 'st.atom.rel.qf.sc0.semsc0.semav', see: 'ld.atom.acq.qf.sc0.semsc0.semvis'}),
    ask: 'Safe, but it waits for images and Workgroup memory, too. Weaken it as far as it stays safe.',
    hints: ['Data and flag are in buffers.', 'semsc0 alone.'],
  },
  {
    id: 'private', lesson: 6, title: 'A broken promise', kind: 'edit', may: 'tags', text: message('private', {data: 'st.sc0', flag: kRelease, see: kAcquire, load: 'ld.sc0'}),
    goal: kHandedOver, solution: message('private', {flag: kRelease, see: kAcquire}),
    ask: 'Order, scope and class are right. Why is there a race? Mend it.',
    hints: ['A plain access is private: no availability operation concerns it.', 'st.nonpriv.sc0 and ld.nonpriv.sc0'],
  },
  {
    id: 'available', lesson: 6, title: 'On its way', kind: 'edit', may: 'tags', most: 1,
    text: message('available', {flag: 'st.atom.rel.dv.sc0.semsc0', see: kAcquire}), goal: kHandedOver, solution: message('available', {flag: kRelease, see: kAcquire}),
    ask: 'Change one instruction, so that P1, which has seen y = 1, never reads the old x, and there is no race.',
    hints: ['The write of x never leaves the cache of P0.', 'Add .semav to the release.'],
  },
  {
    id: 'own-operations', lesson: 6, title: 'Without the help of the flag', kind: 'edit', may: 'tags',
    text: message('own-operations', {flag: 'st.atom.rel.dv.sc0.semsc0', see: 'ld.atom.acq.dv.sc0.semsc0'}), goal: kHandedOver,
    frozen: ['st.atom.rel.dv.sc0.semsc0 y, 1', 'ld.atom.acq.dv.sc0.semsc0 r0, y'],
    solution: message('own-operations', {data: 'st.av.dv.sc0', flag: 'st.atom.rel.dv.sc0.semsc0', see: 'ld.atom.acq.dv.sc0.semsc0', load: 'ld.vis.dv.sc0'}),
    ask: 'Leave the flag as it is, and let P1, which has seen y = 1, never read the old x: the accesses of x can bring operations of their own.',
    hints: ['A write can be made available by itself, and a read visible.', 'st.av.dv.sc0 and ld.vis.dv.sc0'],
  },
  {
    id: 'barrier', lesson: 7, title: 'A barrier that only waits', kind: 'edit', may: 'tags', minimal: true,
    text: two('barrier', ['st.nonpriv.sc0 x, 1', 'cbar.wg 1'], ['cbar.wg 1', 'ld.nonpriv.sc0 r1, x'], 'exists (P1:r1 == 0)', kInA1, ['x']),
    goal: kHandedOver,
    solution: two('barrier', ['st.nonpriv.sc0 x, 1', 'cbar.rel.wg.semsc0.semav 1'], ['cbar.acq.wg.semsc0.semvis 1', 'ld.nonpriv.sc0 r1, x'], 'exists (P1:r1 == 0)', kInA1, ['x']),
    ask: 'Give the barrier the weakest semantics with which P1 always reads x = 1.',
    hints: ['P0 writes before it: it has to release. P1 reads behind it.', 'cbar.rel.wg.semsc0.semav 1 and cbar.acq.wg.semsc0.semvis 1'],
  },
  {
    id: 'release-sequence', lesson: 7, title: 'Through other hands', kind: 'pick', property: 'racy',
    ask: 'P0 releases y = 1. P1 makes it 2 with a relaxed instruction, and P2 acquires 2. Which have a data race?',
    options: [
      ['a relaxed update (rmw)', 'rmw.atom.dv.sc0.add r0, y, 1'], ['a relaxed store', 'st.atom.dv.sc0 y, 2'],
    ].map(([label, middle], i) => ({label, text: litmus(`through-${i}`, ['x', 'y'], [
      [kInA, 'st.nonpriv.sc0 x, 1', `${kRelease} y, 1`], [kInB, middle],
      ['P2@sg 0, wg 2, qf 0', `${kAcquire} r0, y`, 'ld.nonpriv.sc0 r1, x']], 'filter (P2:r0 == 2)\nexists (P2:r1 == 0)')})),
    answer: [1], hints: ['An update carries on the release sequence of what it read.', 'A store of another thread ends it.'],
  },
  {
    id: 'chain', lesson: 7, title: 'Handed on', kind: 'edit', may: 'tags', most: 1,
    text: litmus('chain', ['x', 'y', 'z'], [
      [kInA, 'st.nonpriv.sc0 x, 1', 'st.atom.rel.wg.sc0.semsc0.semav y, 1'],
      [kInA1, 'ld.atom.acq.wg.sc0.semsc0.semvis r0, y', 'st.atom.rel.dv.sc0.semsc0 z, 1'],
      ['P2@sg 0, wg 1, qf 0', 'ld.atom.acq.dv.sc0.semsc0.semvis r0, z', 'ld.nonpriv.sc0 r1, x']],
    'filter (P1:r0 == 1 /\\ P2:r0 == 1)\nexists (P2:r1 == 0)'),
    goal: {forbid: 'P2:r1 == 0', raceFree: true},
    solution: litmus('chain', ['x', 'y', 'z'], [
      [kInA, 'st.nonpriv.sc0 x, 1', 'st.atom.rel.wg.sc0.semsc0.semav y, 1'],
      [kInA1, 'ld.atom.acq.wg.sc0.semsc0.semvis r0, y', 'st.atom.rel.dv.sc0.semsc0.semav z, 1'],
      ['P2@sg 0, wg 1, qf 0', 'ld.atom.acq.dv.sc0.semsc0.semvis r0, z', 'ld.nonpriv.sc0 r1, x']],
    'filter (P1:r0 == 1 /\\ P2:r0 == 1)\nexists (P2:r1 == 0)'),
    ask: 'P0 tells P1, and P1 tells P2. Change one instruction, so that P2 reads what P0 wrote.',
    hints: ['Everything happens in the right order; the value stays behind on the way.', 'P1 has to make available to the device what is available to its workgroup: .semav.'],
  },
  {
    id: 'look-back', lesson: 8, title: 'The look-back', kind: 'edit', may: 'tags', minimal: true,
    text: message('look-back', {data: 'st.sc0', flag: 'st.atom.wg.sc0', see: 'ld.atom.wg.sc0', load: 'ld.sc0'}), goal: kHandedOver,
    solution: message('look-back', {flag: 'st.atom.rel.qf.sc0.semsc0.semav', see: 'ld.atom.acq.qf.sc0.semsc0.semvis'}),
    ask: 'Four things are missing. Give P1 the sum of the workgroup before it, at the lowest price.',
    hints: ['Order, scope, class, and the way of the value.', 'qf is wide enough here.'],
  },
  {
    id: 'lost-on-the-way', lesson: 9, title: 'What loses the data?', kind: 'pick', property: 'racy',
    ask: 'The host writes x, a kernel copies x to y, and the host reads y. Which of these have a data race?',
    options: [
      ['all four: flush, dep, wait and invalidate', kUp, ['dispatch P0', kToHost], kDown],
      ['no flush', ['st x, 1', 'submit B0, f'], ['dispatch P0', kToHost], kDown],
      ['an execution dependency alone: dep compute host', kUp, ['dispatch P0', 'dep compute host'], kDown],
      ['invalidate in front of wait', kUp, ['dispatch P0', kToHost], ['invalidate y', 'wait f', 'ld r0, y']],
    ].map(([label, up, batch, down], i) => ({label, text: roundTrip(`on-the-way-${i}`, [...up, ...down], batch)})),
    answer: [1, 2, 3],
    hints: ['Each gate has to be passed behind the one before it.', 'What comes behind the invalidate may still go into the old copy, and a dependency without accesses moves nothing.'],
  },
  {
    id: 'reach-lost-upload', lesson: 9, title: 'Play the lost upload', kind: 'reach',
    text: roundTrip('lost-upload', ['st x, 1', 'submit B0, f', ...kDown], ['dispatch P0', kToHost]), outcome: {'H0:r0': 0},
    ask: 'Open Play, and reach H0:r0=0: the host has written 1, and reads what the kernel made of 0.',
    hints: ['The write waits in the cache of the host. Do not deliver it.', 'Let the batch run while x is 0 in the device domain; then the host waits, invalidates and reads.'],
  },
  {
    id: 'round-trip', lesson: 9, title: 'There and back', kind: 'edit', may: 'host', minimal: true,
    text: roundTrip('there-and-back', ['st x, 1', 'submit B0, f', 'ld r0, y'], ['dispatch P0']), goal: {forbid: 'H0:r0 == 0', raceFree: true},
    solution: roundTrip('there-and-back', [...kUp, ...kDown], ['dispatch P0', kToHost]),
    ask: 'Add what is missing on the way up and on the way back, and no more: flush, wait and invalidate of the host, a dep of the batch.',
    hints: ['Up: the host\'s cache. Back: the barrier in the batch, the fence f, the host\'s cache again.', 'flush x in front of submit; dep compute.shader_write host.host_read behind dispatch; wait f, then invalidate y.'],
  },
];
