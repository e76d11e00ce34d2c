// Every challenge can be solved, its solution is needed, and its hints come to an end: asked of the explorer.
//
//   node tests/lab/challenges.mjs HEDDLE     the program `heddle`, or an `answer.mjs`
import {execFileSync} from 'node:child_process';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {kChallenges} from '../../emulator/lab/page/src/challenges.mjs';
import {checkEdit, checkPick, truth, weakenings} from '../../emulator/lab/page/src/check.mjs';

const program = process.argv[2];
const folder = mkdtempSync(join(tmpdir(), 'heddle-challenges-'));
process.on('exit', () => rmSync(folder, {recursive: true, force: true}));
const known = new Map();

/** What `heddle litmus --json` says. */
function ask({source, limit}) {
  const key = `${limit ?? ''}\n${source}`;
  if (!known.has(key)) {
    const file = join(folder, 'challenge.litmus');
    writeFileSync(file, source);
    const words = ['litmus', '--json', ...(limit ? ['--limit', String(limit)] : []), file];
    const [command, ...rest] = program.endsWith('.mjs') ? ['node', program, ...words.slice(1)] : [program, ...words];
    let out;
    try {
      out = execFileSync(command, rest, {encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe']});
    } catch (error) {
      // A race and a failed assertion are exit code 1.
      out = error.stdout;
    }
    known.set(key, JSON.parse(out));
  }
  return known.get(key);
}

let failures = 0;
function check(holds, id, text) {
  if (holds) return;
  ++failures;
  console.error(`${id}: ${text}`);
}

check(kChallenges.length >= 20, 'challenges', `there are ${kChallenges.length}`);
check(new Set(kChallenges.map(one => one.id)).size === kChallenges.length, 'challenges', 'two have one id');
for (const challenge of kChallenges) {
  const {id, kind} = challenge;
  check(challenge.hints.length >= 2 && challenge.ask && challenge.title, id, 'title, question or hints are missing');
  const texts = kind === 'pick' && challenge.property === 'racy' ? challenge.options.map(one => one.text) : [challenge.text];
  for (const text of texts) {
    const {error, warnings} = ask({source: text});
    check(!error && !warnings, id, `its test is wrong: ${error ?? warnings}`);
  }
  if (kind === 'pick') {
    const right = await truth(ask, challenge);
    const picked = right.flatMap((one, i) => (one ? [i] : []));
    check(String(picked) === String(challenge.answer), id, `the explorer says ${picked}, the list ${challenge.answer}`);
    check((await checkPick(ask, challenge, challenge.answer)).solved, id, 'the right picks do not solve it');
    check(!(await checkPick(ask, challenge, [])).solved, id, 'no pick solves it');
  } else if (kind === 'edit') {
    const solved = await checkEdit(ask, challenge, challenge.solution);
    check(solved.solved, id, `its solution does not solve it: ${solved.text}`);
    check(!(await checkEdit(ask, challenge, challenge.text)).solved, id, 'it is solved from the start');
  } else {
    const {outcomes} = ask({source: challenge.text});
    const there = outcomes.some(one => Object.entries(challenge.outcome).every(([name, value]) => one[name] === value));
    check(there, id, 'its outcome is not allowed');
  }
}

// What is too strong is told to be: the solutions with one thing more.
const wider = kChallenges.find(one => one.id === 'wider');
const dear = wider.solution.replace('st.atom.rel.qf', 'st.atom.rel.dv');
check(/weaker/.test((await checkEdit(ask, wider, dear)).text), 'wider', 'a scope that is too wide is taken for the weakest');
const cheat = wider.text.replace('P1@sg 0, wg 1', 'P1@sg 1, wg 0');
check(!(await checkEdit(ask, wider, cheat)).solved, 'wider', 'a thread may be moved');
const other = wider.solution.replace('filter (P1:r0 == 1)', 'filter (P1:r0 == 5)');
check((await checkEdit(ask, wider, other)).solved, 'wider', 'the filter of the text counts, not that of the challenge');
check(weakenings('cbar.acq_rel.wg.semsc0.semav.semvis 1').includes('cbar.acq.wg.semsc0.semvis 1'), 'weakenings', 'a barrier may acquire alone');

console.log(failures === 0 ? `${kChallenges.length} challenges: the explorer agrees` : `${failures} failures`);
process.exitCode = failures === 0 ? 0 : 1;
