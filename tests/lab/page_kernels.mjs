// Kernels in a real browser: runs of C++ programs, event by event.
//
//   node tests/lab/page_kernels.mjs HEDDLE FOLDER CHROMIUM OUTPUT
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {heddle, test} from './browser.mjs';

// A run of a kernel with a stale read.
const run_folder = mkdtempSync(join(tmpdir(), 'heddle-lab-run-'));
process.on('exit', () => rmSync(run_folder, {recursive: true, force: true}));
const trace = join(run_folder, 'queue.trace');
const film = join(run_folder, 'queue.json');
spawnSync(join(dirname(heddle), 'samples/field/ticket_queue'), [], {
  stdio: 'ignore', env: {...process.env, HEDDLE_MODE: 'emulated', HEDDLE_MEMORY: 'random', HEDDLE_SEED: '1', HEDDLE_TRACE: trace}});
const html = join(run_folder, 'queue.html');
spawnSync(heddle, ['trace', trace, '--film', film, '--html', html], {stdio: 'ignore'});

const steps = ({page, address, shot, tab, eventually}) => [
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
];

await test(steps, {traces: [trace]});
