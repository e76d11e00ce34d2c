// Prints, from the WebAssembly build, what `heddle litmus --json` prints.
//
//   node build/lab/answer.mjs [--machine POLICY] [--runs N] [--seed S] [--judge N] [--bound N] [--limit N]
//                             [--no-chains] [--thin-air] [--verdict] [--no-explore] [--why] FILE...
//
// Exit code: as of `heddle litmus`, 0 fine, 1 a finding, 2 bad input, 3 an internal error.
import {createRequire} from 'node:module';
import {readFileSync, readdirSync, statSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {hasFinding, openEngine} from './engine.mjs';

const kWithText = {'--machine': 'machine'};
const kWithNumber = {'--runs': 'runs', '--seed': 'seed', '--judge': 'judge', '--bound': 'bound', '--limit': 'limit',
  '--replay': 'replay'};
const kFlags = {'--no-chains': ['chains', false], '--thin-air': ['thin_air', true], '--verdict': ['verdict', true],
  '--no-explore': ['explore', false], '--why': ['why', true], '--json': null, '--quiet': null};

function fail(message) {
  process.stderr.write(`answer.mjs: ${message}\n`);
  process.exit(2);
}

function understand(words) {
  const request = {};
  const files = [];
  while (words.length > 0) {
    const [word, value] = words[0].startsWith('--') ? words.shift().split(/=(.*)/s) : [words.shift()];
    const needed = () => value ?? words.shift() ?? fail(`${word} needs a value`);
    if (word in kWithText) {
      request[kWithText[word]] = needed();
    } else if (word in kWithNumber) {
      const number = needed();
      if (!/^\d+$/.test(number)) fail(`${word}: ${number} is no number`);
      request[kWithNumber[word]] = BigInt(number);
    } else if (word in kFlags) {
      if (kFlags[word]) request[kFlags[word][0]] = kFlags[word][1];
    } else if (word.startsWith('--')) {
      fail(`no option ${word}`);
    } else {
      files.push(word);
    }
  }
  return {request, files};
}

/** JSON with all digits of a BigInt. */
function spell(request) {
  const fields = Object.entries(request).map(
      ([key, value]) => `${JSON.stringify(key)}:${typeof value === 'bigint' ? value : JSON.stringify(value)}`);
  return `{${fields.join(',')}}`;
}

/** Folders are replaced by the tests in and below them, in the order of their names. */
function expand(names, claims) {
  const isTest = name => name.endsWith('.litmus') || (claims && name.endsWith('.test'));
  const byBytes = (a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b));
  return names.flatMap(name => {
    if (!statSync(name, {throwIfNoEntry: false})?.isDirectory()) return [name];
    return readdirSync(name, {recursive: true}).filter(isTest).map(file => join(name, file)).sort(byBytes);
  });
}

const {request, files} = understand(process.argv.slice(2));
if (files.length === 0) fail('which FILE?');
const here = dirname(fileURLToPath(import.meta.url));
const engine = await openEngine(createRequire(import.meta.url)('./engine.js'),
    {wasmBinary: readFileSync(join(here, 'engine.wasm'))});
let code = 0;
for (const file of expand(files, !request.machine)) {
  let source;
  try {
    // Bytes that are no UTF-8 become replacement characters here.
    source = readFileSync(file, 'utf8');
  } catch (error) {
    const why = {ENOENT: 'No such file or directory', EACCES: 'Permission denied'}[error.code] ?? error.message;
    process.stdout.write(JSON.stringify({file, error: `${file}: ${why}`}) + '\n');
    code = 2;
    continue;
  }
  const line = engine.answerText(spell({...request, file, source}));
  process.stdout.write(line + '\n');
  const answer = JSON.parse(line);
  if (answer.error) code = 2;
  else if (code === 0 && hasFinding(answer)) code = 1;
}
process.exitCode = code;
