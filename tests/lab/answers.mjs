// What the WebAssembly build says of a test is what the program says.
//
//   node tests/lab/answers.mjs HEDDLE ANSWER_MJS [FOLDER...]
//
// Without folders: the library of tests/litmus, the course, a sample of the random tests, and the modules of tests/spirv.
import {execFileSync} from 'node:child_process';
import {readdirSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

const [heddle, answer, ...folders] = process.argv.slice(2);
const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

function testsIn(folder, step = 1) {
  return readdirSync(folder, {recursive: true}).filter(name => /\.(?:litmus|test)$/.test(name)).sort()
      .filter((_, i) => i % step === 0).map(name => join(folder, name));
}

/** The lines of a command; exit code 1 is a finding, 2 a test that cannot be read. */
function lines(command, words) {
  try {
    return execFileSync(command, words, {encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'ignore']}).trim().split('\n');
  } catch (error) {
    if (![1, 2].includes(error.status)) throw error;
    return error.stdout.trim().split('\n');
  }
}

/** Without what is measured, which differs from run to run. */
function comparable(line) {
  return line.replace(/"(seconds|run_seconds)":[-+.\de]+/g, '"$1":0');
}

function compare(title, files, options, command = 'litmus') {
  const theirs = lines(heddle, [command, '--json', ...options, ...files]);
  const ours = lines('node', [answer, ...options, ...files]);
  let different = theirs.length === ours.length ? 0 : 1;
  theirs.forEach((line, i) => {
    if (comparable(line) === comparable(ours[i] ?? '')) return;
    ++different;
    if (different < 4) console.error(`${title}: ${files[i]}\n  program     ${comparable(line).slice(0, 600)}\n  WebAssembly ${comparable(ours[i] ?? '').slice(0, 600)}`);
  });
  console.log(`${title}: ${theirs.length} tests, ${different} differ`);
  return different;
}

const library = join(root, 'tests/litmus/library');
const all = folders.length > 0 ? folders.flatMap(folder => testsIn(folder))
    : [...testsIn(library), ...testsIn(join(root, 'samples/course')), ...testsIn(join(root, 'tests/litmus/random'), 10),
       ...testsIn(join(root, 'tests/litmus/khronos'), 4), ...testsIn(join(root, 'tests/litmus/corpus'))];
const vulkan = all.filter(file => file.endsWith('.litmus'));
let different = compare('all executions', all, []);
different += compare('C and Mu', testsIn(join(root, 'tests/mu/cases'), 4), ['--why']);
different += compare('why', vulkan.filter((_, i) => i % 10 === 0), ['--why']);
for (const policy of ['sequential', 'random', 'adversarial'])
  different += compare(`runs on ${policy}`, vulkan.filter((_, i) => i % 8 === 0), ['--machine', policy, '--runs', '300', '--seed', '7', '--judge', '20']);
const modules = readdirSync(join(root, 'tests/spirv/cases')).filter(name => name.endsWith('.spvasm')).sort().map(name => join(root, 'tests/spirv/cases', name));
different += compare('modules', modules, [], 'spirv');
different += compare('runs of modules', modules, ['--machine', 'random', '--runs', '100', '--seed', '7', '--judge', '5'], 'spirv');
process.exitCode = different === 0 ? 0 : 1;
