// The lab's page in a real browser, by clicks and keys: running, asking why, challenges, and how it looks.
//
//   node tests/lab/page.mjs HEDDLE FOLDER CHROMIUM OUTPUT
import assert from 'node:assert/strict';
import {readFileSync, readdirSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {gzipSync} from 'node:zlib';
import {folder, test} from './browser.mjs';
import {kChallenges} from '../../emulator/lab/page/src/challenges.mjs';

const steps = ({page, address, text, shot, tab, eventually, open, write, run, milliseconds}) => [
  ['the page is under 2 MB compressed', async () => {
    const size = name => gzipSync(readFileSync(join(folder, name))).length;
    const files = readdirSync(folder, {recursive: true}).filter(name => statSync(join(folder, name)).isFile() && !/answer\.mjs$/.test(name));
    const total = files.reduce((sum, name) => sum + size(name), 0);
    console.log(`  it is ${(total / 1e6).toFixed(2)} MB`);
    assert.ok(total < 2e6);
  }],
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
  ['a test is written as calls with one button, runs so, and its words are explained', async () => {
    await open('3-no-acquire');
    await page.getByRole('button', {name: 'Write as calls'}).click();
    await eventually(async () => assert.match(await text(), /atomicStore\(y, 1, Release, Device, UniformMemory \| MakeAvailable\);/));
    await run();
    await tab('Why');
    assert.match(await page.locator('.missing').textContent(), /no synchronization/);
    await page.locator('[data-fix="0"]').click();
    await page.getByText('There is no data race in any execution.').waitFor();
    assert.match(await text(), /r0 = atomicLoad\(y, Acquire, Device, UniformMemory \| MakeVisible\);/);
    await page.locator('.cm-line span', {hasText: /^Acquire$/}).first().hover();
    await page.locator('.word-meaning', {hasText: 'Acquire: What comes behind it'}).waitFor();
    await page.getByText('What the words of this test mean').click();
    await page.locator('.notation dt', {hasText: 'MakeVisible (semvis)'}).waitFor();
    await shot('calls');
    await page.getByRole('button', {name: 'Write as tags'}).click();
    await eventually(async () => assert.match(await text(), /ld\.atom\.acq\.dv\.sc0\.semsc0\.semvis r0, y/));
    await page.getByText('What the words of this test mean').click();
  }],
  ['a C11 test runs and is explained, and one of a processor is named', async () => {
    await tab('Run');
    await write('C mp\n{ }\nP0 (int* x, atomic_int* y) {\n  *x = 1;\n  atomic_store_explicit(y, 1, memory_order_release);\n}\n'
        + 'P1 (int* x, atomic_int* y) {\n  int r0 = atomic_load_explicit(y, memory_order_acquire);\n  int r1 = *x;\n}\n'
        + 'filter (1:r0 = 1)\nexists (1:r0 = 1 /\\ 1:r1 = 0)\n');
    await run();
    assert.equal(await page.locator('table.outcomes tbody tr').count(), 2);
    assert.match(await page.locator('tr.forbidden').textContent(), /forbidden/);
    await page.locator('section[aria-label="Run"] progress').waitFor({state: 'detached'});
    assert.match(await page.locator('table.outcomes tbody').textContent(), /allowed, seen/);
    await tab('Why');
    await page.locator('svg.graph').waitFor();
    assert.match(await page.locator('section[aria-label="Why"]').textContent(), /breaks the rule that/);
    await shot('c11');
    await tab('Run');
    await write('PTX MP\n{ }\n P0 ;\n st.relaxed x, 1 ;\nexists (x = 1)\n');
    await page.getByText("this is a test of NVIDIA's PTX").first().waitFor();
  }],
  ['a graph is saved as SVG', async () => {
    await open('3-release-acquire');
    await run();
    await tab('Why');
    await page.locator('svg.graph g[data-relation="sw"]').first().waitFor({state: 'attached'});
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
    const round = kChallenges.findIndex(one => one.id === 'round-trip');
    await page.locator('.challenges select').selectOption(String(round));
    await page.getByRole('button', {name: /Open the test/}).click();
    await page.locator('.cm-content', {hasText: 'there-and-back'}).waitFor();
    await write(kChallenges[round].solution.replace('dep compute.shader_write', 'dep all.memory_write'));
    await page.getByRole('button', {name: 'Check'}).click();
    await page.getByText(/a weaker instruction would do/).waitFor();
    await write(kChallenges[round].solution);
    await page.getByRole('button', {name: 'Check'}).click();
    await page.getByText(/Solved: it holds/).waitFor();
    await page.reload();
    await page.getByText(`3 of ${kChallenges.length} solved`).waitFor();
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
  ['each claim of a lesson is drawn and played by its buttons', async () => {
    const claims = /^- \[`([^`]+)`\]\(\S+\) (?:(can|cannot) end with `([^`]+)`|has (?:a|no) data race)/gm;
    for (const [lesson, file] of [[2, '3-release-acquire'], [6, '7-barriers-and-chains']]) {
      const lines = readFileSync(new URL(`../../samples/course/${file}.md`, import.meta.url), 'utf8');
      for (const [, name, can, condition] of lines.matchAll(claims)) {
        await tab('Course');
        await page.getByLabel('Lesson').selectOption(String(lesson));
        await page.getByRole('button', {name: `See why: ${name}, ${condition ?? 'races'}`, exact: true}).click();
        await page.locator('.results[data-state="answered"]').waitFor();
        const shown = page.locator('section[aria-label="Why"]').getByLabel('Show');
        const value = condition?.replace(/ == /g, '=');
        await eventually(async () => {
          const title = await shown.evaluate(one => one.selectedOptions[0].textContent);
          if (value) assert.ok(title.includes(value) && title.startsWith('Forbidden') === (can === 'cannot'), `${name}: ${title}`);
        });
      }
    }
    await tab('Course');
    await page.getByRole('button', {name: 'Play it: 7-not-handed-on, P2:r1 == 0'}).click();
    await page.locator('section[aria-label="Play"][data-ended="true"]').waitFor();
    assert.match(await page.locator('section[aria-label="Play"]').textContent(), /The game has ended with .*P2:r1=0/);
    await tab('Course');
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

await test(steps);
