// The lab's page in a real browser, by clicks and keys.
//
//   node tests/lab/page.mjs HEDDLE FOLDER CHROMIUM OUTPUT
//
// FOLDER is the built page; screenshots go to OUTPUT/lab-*.png.
import assert from 'node:assert/strict';
import {spawn, spawnSync} from 'node:child_process';
import {mkdtempSync, readFileSync, readdirSync, rmSync, statSync} from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {gzipSync} from 'node:zlib';

const [heddle, folder, chromium, output] = process.argv.slice(2);
const require = createRequire(new URL('../../emulator/lab/page/package.json', import.meta.url));
const {chromium: browserType} = require('playwright-core');
const {kChallenges} = await import('../../emulator/lab/page/src/challenges.mjs');

// A run of a kernel with a stale read.
const run_folder = mkdtempSync(join(tmpdir(), 'heddle-lab-run-'));
const trace = join(run_folder, 'queue.trace');
const film = join(run_folder, 'queue.json');
spawnSync(join(dirname(heddle), 'samples/field/ticket_queue'), [], {
  stdio: 'ignore', env: {...process.env, HEDDLE_MODE: 'emulated', HEDDLE_MEMORY: 'random', HEDDLE_SEED: '1', HEDDLE_TRACE: trace}});
const html = join(run_folder, 'queue.html');
spawnSync(heddle, ['trace', trace, '--film', film, '--html', html], {stdio: 'ignore'});

// A machine with other work takes its time: only what never comes is a failure. How long things took is printed.
const kPatience = 120000;

const server = spawn(heddle, ['lab', '--page', folder, trace], {stdio: ['ignore', 'pipe', 'inherit']});
const address = await new Promise((resolve, reject) => {
  server.stdout.on('data', data => {
    const found = /http:\S+/.exec(String(data));
    if (found) resolve(found[0].replace('#kernels', ''));
  });
  server.on('exit', code => reject(new Error(`heddle lab ended with ${code}`)));
});
const profile = mkdtempSync(join(tmpdir(), 'heddle-lab-browser-'));
const context = await browserType.launchPersistentContext(profile, {
  executablePath: chromium, headless: true, timeout: kPatience, viewport: {width: 1280, height: 900}, colorScheme: 'light',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});
const problems = [];
const page = context.pages()[0];
page.setDefaultTimeout(kPatience);
page.on('pageerror', error => problems.push(`an exception: ${error.message}`));
page.on('console', message => message.type() === 'error' && problems.push(`an error: ${message.text()}`));

const shot = name => page.screenshot({path: join(output, `lab-${name}.png`), fullPage: true});
const tab = name => page.getByRole('tab', {name}).click();
// A page that has much to do draws what a click asks for a little later.
const eventually = async check => {
  for (const end = performance.now() + kPatience; ;) {
    try {
      return await check();
    } catch (failure) {
      if (performance.now() > end) throw failure;
      await page.waitForTimeout(100);
    }
  }
};
const open = async name => {
  await page.getByLabel('Examples').selectOption(name);
  // The Kernels tab hides the editor.
  await page.locator('.cm-content', {hasText: name}).waitFor({state: 'attached'});
};
const text = () => page.evaluate(() => [...document.querySelectorAll('.cm-line')].map(line => line.textContent).join('\n'));
const write = async source => {
  await page.locator('.cm-content').click();
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText(source);
};
const run = async () => {
  await page.locator('button.run').first().click();
  await page.locator('.results[data-state="answered"]').waitFor();
};
const milliseconds = name => page.locator('.results').getAttribute(`data-${name}-ms`).then(Number);

const steps = [
  ['the page starts and knows the policies', async () => {
    const begin = performance.now();
    await page.goto(address);
    await page.getByLabel('Litmus test').waitFor();
    await run();
    await page.getByText('random', {exact: false}).first().waitFor();
    console.log(`  first use, with the first answer: ${(performance.now() - begin).toFixed(0)} ms`);
    assert.match(await page.locator('.verdict').first().textContent(), /Allowed/);
  }],
  ['outcomes come as bars that count up, beside the exact set', async () => {
    await open('1-message');
    await run();
    const rows = page.locator('table.outcomes tbody tr');
    assert.equal(await rows.count(), 4);
    await page.locator('section[aria-label="Run"] progress').waitFor({state: 'detached'});
    const weak = page.locator('tr[data-outcome="P1:r0=1 P1:r1=0"]');
    assert.match(await weak.textContent(), /allowed, seen/);
    const counts = await weak.locator('.count').allTextContents();
    assert.equal(counts[0], '0', 'sequential memory never shows it');
    assert.ok(Number(counts[1].replaceAll(',', '')) > 0, 'random memory does');
    await shot('run');
  }],
  ['what is forbidden is listed as such', async () => {
    await open('1-one-variable');
    await run();
    assert.match(await page.locator('tr.forbidden').textContent(), /P1:r0=1 P1:r1=0.*forbidden/);
  }],
  ['a second answer is drawn at once', async () => {
    const times = [];
    for (const name of ['3-release-acquire', '4-device-across', '5-both-classes', '8-look-back']) {
      await open(name);
      await run();
      await page.locator('.verdict').first().waitFor();
      times.push(await milliseconds('answered'));
    }
    console.log(`  from the click to the drawn answer: ${times.join(', ')} ms`);
  }],
  ['why: the graph, the missing link, and a button that mends', async () => {
    await open('3-no-acquire');
    await run();
    await tab('Why');
    await page.locator('svg.graph').waitFor();
    assert.equal(await page.locator('svg.graph g[data-relation="race"]').count(), 1);
    assert.match(await page.locator('.missing').textContent(), /no synchronization/);
    await shot('why');
    await page.locator('[data-fix="0"]').click();
    await page.getByText('There is no data race in any execution.').waitFor();
    assert.match(await text(), /ld\.atom\.acq\.\w+\.sc0\.semsc0\.semvis r0, y/);
    // The graph before stays until the new one is laid out; in that one they synchronize.
    await page.locator('svg.graph g[data-relation="sw"]').first().waitFor({state: 'attached'});
    assert.equal(await page.locator('svg.graph g[data-relation="race"]').count(), 0);
    console.log(`  from the click to the drawn graph: ${await milliseconds('drawn')} ms`);
    await shot('mended');
  }],
  ['a graph is saved as SVG', async () => {
    const [download] = await Promise.all(
        [page.waitForEvent('download'), page.getByRole('button', {name: 'Save as SVG'}).click()]);
    const file = await download.path();
    assert.match(readFileSync(file, 'utf8'), /^<\?xml[^]*<svg[^]*synchronizes[^]*<\/svg>/);
  }],
  ['an error is shown in its place, and the text is kept', async () => {
    await tab('Run');
    await write('Vulkan Wrong\n{ x = 0; }\n P0@sg 0, wg 0, qf 0 ;\n ld.sc9 r0, x ;\nexists (P0:r0 == 1)\n');
    await page.locator('.cm-lintRange-error').waitFor();
    assert.match(await page.locator('.write .problem').textContent(), /^Line 4: expected a storage class/);
    await page.reload();
    await eventually(async () => assert.match(await text(), /ld\.sc9/));
  }],
  ['a link holds the text, and a damaged one says so', async () => {
    await open('5-fences');
    const before = await text();
    await page.getByRole('button', {name: 'Link', exact: true}).click();
    await page.getByText(/The link is/).waitFor();
    const link = page.url();
    await open('1-message');
    await page.goto('about:blank');
    await page.goto(link);
    await page.locator('.cm-content', {hasText: '5-fences'}).waitFor();
    await eventually(async () => assert.equal(await text(), before));
    await page.goto('about:blank');
    await page.goto(`${address}#1AAAA`);
    await page.getByText(/This link is damaged/).waitFor();
    await eventually(async () => assert.equal(await text(), before));
  }],
  ['a huge test can be stopped', async () => {
    const cells = (f, n = 10) => Array.from({length: n}, (_, i) => f(i)).join(' | ');
    await write(`Vulkan Huge\n{ x0 = 0; }\n ${cells(i => `P${i}@sg ${i}, wg 0, qf 0`)} ;\n${[0, 1, 2, 3].map(k =>
      ` ${cells(i => `st.atom.wg.sc0 x${(i + k) % 10}, ${k + 1}`)} ;\n ${cells(i => `ld.atom.wg.sc0 r${k}, x${(i + k + 1) % 10}`)} ;`).join('\n')}\nexists (x0 == 9)\n`);
    await page.locator('button.run').first().click();
    await page.waitForTimeout(500);
    await page.getByRole('button', {name: 'Stop'}).first().click();
    assert.match(await text(), /Vulkan Huge/);
    await open('1-message');
    await run();
  }],
  ['challenges are checked by the explorer, and progress is kept', async () => {
    await tab('Challenges');
    const first = kChallenges[0];
    for (const label of ['P1:r0=0 P1:r1=0', 'P1:r0=0 P1:r1=1']) await page.getByLabel(label).check();
    await page.getByRole('button', {name: 'Check'}).click();
    await page.getByText(/Not yet: 2/).waitFor();
    for (const label of ['P1:r0=1 P1:r1=0', 'P1:r0=1 P1:r1=1']) await page.getByLabel(label).check();
    await page.getByRole('button', {name: 'Check'}).click();
    await page.getByText('Solved: the explorer agrees.').waitFor();
    await page.getByRole('button', {name: 'A hint'}).click();
    await page.getByText(first.hints[0]).waitFor();
    const edit = kChallenges.findIndex(one => one.id === 'wider');
    await page.locator('.challenges select').selectOption(String(edit));
    await page.getByRole('button', {name: /Open the test/}).click();
    await page.locator('.cm-content', {hasText: 'wider'}).waitFor();
    await write(kChallenges[edit].solution.replaceAll('.qf.', '.dv.'));
    await page.getByRole('button', {name: 'Check'}).click();
    await page.getByText(/a weaker instruction would do/).waitFor();
    await write(kChallenges[edit].solution);
    await page.getByRole('button', {name: 'Check'}).click();
    await page.getByText(/Solved: it holds/).waitFor();
    await page.reload();
    await page.getByText(`2 of ${kChallenges.length} solved`).waitFor();
    await shot('challenges');
  }],
  ['the course opens its tests', async () => {
    await tab('Course');
    await page.getByRole('button', {name: 'Next'}).click();
    await page.getByRole('heading', {name: 'Lesson 2: what a data race is'}).waitFor();
    await page.locator('button.test', {hasText: '2-half-atomic'}).first().click();
    await eventually(async () => assert.match(await text(), /^Vulkan 2-half-atomic/));
    await shot('course');
  }],
  ['it is used by keyboard alone', async () => {
    await page.locator('#tab-course').focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await eventually(async () => assert.equal(await page.locator('[role="tab"][aria-selected="true"]').textContent(), 'Run'));
    await page.locator('.cm-content').focus();
    await page.keyboard.press('Control+Enter');
    await page.locator('.results[data-state="answered"]').waitFor();
  }],
  ['dark, classroom and a phone', async () => {
    await page.getByLabel('Theme').selectOption('dark');
    await page.getByRole('button', {name: 'Classroom'}).click();
    await eventually(async () =>
      assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).fontSize), '22px'));
    await page.locator('section[aria-label="Run"] progress').waitFor({state: 'detached'});
    await shot('classroom');
    await page.getByRole('button', {name: 'Classroom'}).click();
    await page.setViewportSize({width: 390, height: 844});
    for (const name of ['Run', 'Why', 'Play', 'Challenges', 'Course', 'Kernels']) {
      await tab(name);
      await eventually(async () =>
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name} is no wider than a phone`));
    }
    await tab('Why');
    await page.locator('svg.graph').waitFor();
    await shot('phone');
    await tab('Run');
    await shot('phone-run');
    await page.setViewportSize({width: 1280, height: 900});
    await page.getByLabel('Theme').selectOption('auto');
  }],
  ['all controls have names', async () => {
    for (const name of ['Run', 'Why', 'Play', 'Challenges', 'Course', 'Kernels']) {
      await tab(name);
      const nameless = await page.evaluate(() => [...document.querySelectorAll('button, select, input')].filter(one =>
        !(one.textContent.trim() || one.getAttribute('aria-label') || one.labels?.length)).map(one => one.outerHTML.slice(0, 80)));
      assert.deepEqual(nameless, []);
    }
  }],
  ['play: a game by clicks, undone and done again, to its end', async () => {
    await open('1-message');
    await tab('Play');
    const play = page.locator('section[aria-label="Play"]');
    await play.locator('[data-move]').first().waitFor();
    await play.locator('[data-move="t0"]').click();
    await page.locator('section[aria-label="Play"][data-at="1"]').waitFor();
    await play.locator('button.token.write').first().waitFor();
    await shot('play');
    await play.getByRole('button', {name: 'Undo'}).click();
    await page.locator('section[aria-label="Play"][data-at="0"]').waitFor();
    await play.getByRole('button', {name: 'Redo'}).click();
    await page.locator('section[aria-label="Play"][data-at="1"]').waitFor();
    await play.getByText(/Bookmarks and breakpoints/).click();
    await play.getByLabel('Name').fill('one write');
    await play.getByRole('button', {name: 'Set at step 1'}).click();
    await play.getByLabel('Stop when').selectOption('line');
    const line = await play.getByLabel('Line of the breakpoint').locator('option').last().textContent();
    await play.getByLabel('Line of the breakpoint').selectOption(line);
    await play.getByRole('button', {name: 'Add'}).click();
    await play.locator(`[data-break="line ${line}"]`).waitFor();
    await play.getByRole('button', {name: 'Play to a breakpoint'}).click();
    await play.getByText(new RegExp(`Stopped at a breakpoint: P\\d has come to line ${line}`)).waitFor();
    assert.notEqual(await play.getAttribute('data-at'), '1');
    await shot('stops');
    await play.locator('[data-bookmark="one write"]').click();
    await page.locator('section[aria-label="Play"][data-at="1"]').waitFor();
    await play.getByRole('button', {name: `Remove the breakpoint at line ${line}`}).click();
    await play.getByRole('button', {name: 'Play to the end'}).click();
    await page.locator('section[aria-label="Play"][data-ended="true"]').waitFor();
    await tab('Run');
    await run();
    await page.getByRole('button', {name: 'Show one P1:r0=1 P1:r1=0'}).click();
    await page.getByText(/The game has ended with P1:r0=1 P1:r1=0/).waitFor();
    await open('1-one-variable');
    await tab('Run');
    await run();
    await page.getByRole('button', {name: 'Why never? P1:r0=1 P1:r1=0'}).click();
    await page.getByText(/The cycle:/).waitFor();
  }],
  ['kernels: the run of a C++ program, forward and back, and when a copy went stale', async () => {
    await page.goto('about:blank');
    await page.goto(`${address}#kernels`);
    const view = page.locator('section[aria-label="Kernels"] .film');
    await view.getByRole('heading', {name: 'queue.trace'}).waitFor();
    assert.equal(await view.getAttribute('data-event'), '0');
    await view.getByRole('button', {name: 'Forward'}).click();
    await page.locator('.film[data-event="1"]').waitFor();
    await view.getByRole('button', {name: 'Back'}).click();
    await page.locator('.film[data-event="0"]').waitFor();
    await view.getByRole('button', {name: 'Next stale read'}).click();
    await eventually(async () => assert.ok(Number(await view.getAttribute('data-event')) > 0));
    assert.match(await page.locator('.source .now').textContent(), /\w/);
    assert.match(await page.locator('.where').textContent(), /ticket_queue\.cpp:\d+/);
    await view.getByRole('button', {name: 'When did this go stale?'}).click();
    assert.match(await view.locator('.story').textContent(), /its copy is stale/);
    await shot('kernels');
    await view.locator('.timeline').focus();
    await page.keyboard.press('Home');
    await page.locator('.film[data-event="0"]').waitFor();
    await view.locator('h2').first().click();
    const buffer = await view.getByLabel('Buffer').locator('option').nth(1).textContent();
    await view.getByLabel('Buffer').selectOption(buffer);
    await eventually(async () => {
      const texts = await view.locator('.events li').allTextContents();
      assert.ok(texts.length > 0 && texts.every(text => text.includes(buffer)), `${buffer}: ${texts}`);
    });
    await view.getByLabel('To').fill('0');
    await view.getByText('No event passes the filter').waitFor();
  }],
  ['kernels: a film in a file is opened, and what is none is told', async () => {
    const panel = page.locator('section[aria-label="Kernels"]');
    await panel.getByLabel('Open a file').setInputFiles(trace);
    await panel.getByText(/This is the trace itself/).waitFor();
    await panel.getByLabel('Open a file').setInputFiles({name: 'other.json', mimeType: 'application/json', buffer: Buffer.from('{"events": []}')});
    await panel.getByText(/It is no film of a trace/).waitFor();
    await panel.getByLabel('Open a file').setInputFiles(film);
    await page.locator('.film[data-event="0"]').waitFor();
    await eventually(async () => assert.equal(await panel.locator('.problem').count(), 0));
  }],
  ['kernels: the page of one trace says the same from a file', async () => {
    await page.goto(`file://${html}`);
    await page.getByText(/event 0 of \d+/).waitFor();
    await page.locator('#events .stale').click();
    await page.getByRole('button', {name: 'When did this go stale?'}).click();
    assert.match(await page.locator('#story').textContent(), /its copy is stale/);
    await page.getByRole('button', {name: 'Close'}).click();
    await page.locator('#buffer').fill('items');
    await page.locator('#buffer').blur();
    await eventually(async () =>
      assert.ok((await page.locator('#events li').allTextContents()).every(text => text.includes('items'))));
    await page.goto(address);
  }],
  ['a million runs of message passing', async () => {
    await tab('Run');
    await open('1-message');
    await page.locator('details.settings summary').click();
    for (const policy of ['sequential', 'adversarial']) await page.getByLabel(policy, {exact: true}).uncheck();
    await page.getByLabel('Runs of each').selectOption('1000000');
    const begin = performance.now();
    await page.locator('button.run').first().click();
    await page.locator('section[aria-label="Run"] progress').waitFor();
    await page.locator('section[aria-label="Run"] progress').waitFor({state: 'detached'});
    console.log(`  1,000,000 runs: ${((performance.now() - begin) / 1000).toFixed(2)} s`);
    const sum = (await page.locator('.outcomes .count').allTextContents()).reduce((all, one) => all + Number(one.replaceAll(',', '')), 0);
    assert.equal(sum, 1000000);
  }],
];

let failed = 0;
try {
  const size = name => gzipSync(readFileSync(join(folder, name))).length;
  const files = readdirSync(folder, {recursive: true}).filter(name => statSync(join(folder, name)).isFile() && !/answer\.mjs$/.test(name));
  const total = files.reduce((sum, name) => sum + size(name), 0);
  console.log(`the page is ${(total / 1e6).toFixed(2)} MB compressed`);
  assert.ok(total < 2e6, 'under 2 MB');
  for (const [title, step] of steps) {
    try {
      await step();
      console.log(`ok: ${title}`);
    } catch (error) {
      ++failed;
      console.log(`FAILED: ${title}\n${error.stack}`);
      await shot('failed').catch(() => {});
    }
  }
  assert.deepEqual(problems, [], 'the page complains of nothing');
} catch (error) {
  ++failed;
  console.log(`FAILED: ${error.stack}`);
} finally {
  await context.close();
  server.kill('SIGINT');
  rmSync(profile, {recursive: true, force: true});
  rmSync(run_folder, {recursive: true, force: true});
}
process.exitCode = failed === 0 ? 0 : 1;
