// Kernels in a real browser: runs of C++ programs, event by event.
//
//   node tests/lab/page_kernels.mjs HEDDLE FOLDER CHROMIUM OUTPUT
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {heddle, test} from './browser.mjs';

// Runs of kernels: one with a stale read, one whose sum is wrong since a write is on its way, and one with more than a million events.
const run_folder = mkdtempSync(join(tmpdir(), 'heddle-lab-run-'));
process.on('exit', () => rmSync(run_folder, {recursive: true, force: true}));
const trace = join(run_folder, 'queue.trace');
const film = join(run_folder, 'queue.json');
const early = join(run_folder, 'early.trace');
const long = join(run_folder, 'long.trace');
const record = (program, arguments_, file) => spawnSync(join(dirname(heddle), 'samples', program), arguments_, {
  stdio: 'ignore', env: {...process.env, HEDDLE_MODE: 'emulated', HEDDLE_MEMORY: 'random', HEDDLE_SEED: '1', HEDDLE_TRACE: file}});
record('field/ticket_queue', [], trace);
record('mistakes/relaxed_look_back', ['--only=wrong'], early);
record('scan', [], long);
const summary = spawnSync(heddle, ['trace', long], {encoding: 'utf8'}).stdout;
const html = join(run_folder, 'queue.html');
spawnSync(heddle, ['trace', trace, '--film', film, '--html', html], {stdio: 'ignore'});

// Its first device is that of its options, and its second one has the queues.
const loop = join(run_folder, 'loop.trace');
record('upload_loop', ['--frames', '2', '--size', '4'], loop);
const loop_html = join(run_folder, 'loop.html');
spawnSync(heddle, ['trace', `${loop}.2`, '--html', loop_html], {stdio: 'ignore'});

const races = join(run_folder, 'races.trace');
const races_page = join(run_folder, 'races.html');
const racy = [join(dirname(heddle), 'samples', 'field/flag_rewritten'), '--only=wrong'];
spawnSync(heddle, ['races', '--html', races_page, ...racy], {stdio: 'ignore'});
spawnSync(racy[0], racy.slice(1), {stdio: 'ignore', env: {...process.env, HEDDLE_RACES: 'text', HEDDLE_TRACE: races}});

const steps = ({page, address, shot, tab, eventually}) => {
  const choose = async name => {
    await page.locator('section[aria-label="Kernels"]').getByLabel('Trace').selectOption(name);
    await page.locator('.film').getByRole('heading', {name}).waitFor();
  };
  return [
  ['kernels: the run of a C++ program, forward and back, and when a copy went stale', async () => {
    await page.goto('about:blank');
    await page.goto(`${address}#kernels`);
    const view = page.locator('section[aria-label="Kernels"] .film');
    await choose('queue.trace');
    assert.equal(await view.getAttribute('data-event'), '0');
    await view.getByRole('button', {name: 'Forward'}).click();
    await page.locator('.film[data-event="1"]').waitFor();
    await view.getByRole('button', {name: 'Back'}).click();
    await page.locator('.film[data-event="0"]').waitFor();
    await view.getByRole('button', {name: 'Next stale read'}).click();
    await eventually(async () => assert.ok(Number(await view.getAttribute('data-event')) > 0));
    assert.match(await page.locator('section[aria-label="Source"] .source .now').textContent(), /\w/);
    assert.match(await page.locator('h2.where').textContent(), /ticket_queue\.cpp:\d+/);
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
      const texts = await view.locator('[aria-label="Events"] li').allTextContents();
      assert.ok(texts.length > 0 && texts.every(text => text.includes(buffer)), `${buffer}: ${texts}`);
    });
    await view.getByLabel('To', {exact: true}).fill('0');
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
  ['kernels: a race is listed with its report, and both accesses stand side by side with their lines and events', async () => {
    await page.goto('about:blank');
    await page.goto(`${address}#kernels`);
    await choose('races.trace');
    await page.locator('[data-race="0"]').click();
    const race = page.locator('section[aria-label="This race"]');
    assert.match(await race.locator('h3').first().textContent(), /data race on step\[0\], bytes 0 to 3/);
    assert.match(await race.textContent(), /why.*no synchronization.*change.*put a control barrier.*again.*HEDDLE_/s);
    const lines = {'The first access': /sum \+= step/, 'The second access': /step\[0\] = found/};
    for (const [name, line] of Object.entries(lines)) {
      const side = race.getByRole('group', {name});
      assert.match(await side.locator('.source .now').textContent(), line);
      const event = (await side.locator('.events .now').textContent()).trim();
      const told = new RegExp(`event ${event.split(' ')[0]}, (read|write) of \\d+ at `);
      assert.match(await race.locator('dl').textContent(), told);
      assert.match(event, /step (is|=) \d+ +flag_rewritten.cpp:\d+/);
    }
    await race.locator('dd button').first().click();
    await eventually(async () => assert.match(await page.locator('section[aria-label="Source"] .source .now').textContent(), /sum \+= step/));
    await shot('race');
  }],
  ['kernels: the page of heddle races opens by itself at the race, with its report, and both accesses are a click away', async () => {
    await page.goto(`file://${races_page}`);
    const list = page.getByRole('group', {name: 'data races'});
    assert.match(await list.textContent(), /data race on step\[0\].*first.*read of \d+ at.*second.*write of \d+ at.*why.*change/s);
    for (const [i, line] of [/sum \+= step/, /step\[0\] = found/].entries()) {
      await list.locator('dd button').nth(i).click();
      assert.match(await page.locator('#code .now').textContent(), line);
      const number = /event (\d+)/.exec(await list.locator('dd button').nth(i).textContent())[1];
      assert.match(await page.locator('#at').textContent(), new RegExp(`^event ${number} of`));
    }
    await shot('races-page');
    await page.goto(address);
  }],
  ['kernels: a stale read is listed first, and drawn with the copy that it took and the write that it missed', async () => {
    await page.goto('about:blank');
    await page.goto(`${address}#kernels`);
    await choose('queue.trace');
    const list = page.locator('details[data-kind="stale"]');
    const filter = await page.locator('.film').getByLabel('Buffer').boundingBox();
    assert.ok((await list.boundingBox()).y < filter.y, 'the list comes first');
    await list.locator('[data-wrong]').first().click();
    const read = page.locator('section[aria-label="This read"]');
    const took = read.getByRole('group', {name: 'The copy that it took'});
    const missed = read.getByRole('group', {name: 'The write that it missed'});
    assert.match(await took.textContent(), /own cache.*items\S* = \d+/s);
    assert.match(await missed.textContent(), /items\S* = \d+ of event \d+/);
    assert.match(await read.textContent(), /The newer value had come to .* in event \d+.*still had its old copy/s);
    await shot('stale-read');
  }],
  ['kernels: the reader and the writer stand side by side, each with its source', async () => {
    const [reader, writer] = await Promise.all(['Who reads', 'Who wrote'].map(async name => page.getByRole('group', {name})));
    const [left, right] = [await reader.boundingBox(), await writer.boundingBox()];
    assert.ok(left.x + left.width <= right.x && Math.abs(left.y - right.y) < 2, 'side by side');
    for (const side of [reader, writer]) {
      assert.match(await side.locator('.source .now').textContent(), /items/);
      assert.match(await side.textContent(), /invocation|workgroup \(\d/);
    }
    const missedIn = Number((await writer.locator('.events .now').textContent()).trim().split(' ')[0]);
    await page.locator('.wrong-read .token.write').click();
    await page.locator(`.film[data-event="${missedIn}"]`).waitFor();
  }],
  ['kernels: a sum is wrong without a stale read, since a write is on its way: the early read says so', async () => {
    await choose('early.trace');
    assert.equal(await page.locator('details[data-kind="stale"]').count(), 0);
    await page.locator('details[data-kind="early"] [data-wrong]').first().click();
    const read = page.locator('section[aria-label="This read"]');
    assert.match(await read.getByRole('group', {name: 'The copy that it took'}).textContent(), /sums\[0\] = 0, the initial value/);
    assert.match(await read.getByRole('group', {name: 'The write that it missed'}).textContent(), /workgroup \(0,0,0\).*sums\[0\] = 1/s);
    assert.match(await read.textContent(), /still waits here: nothing had made it available/);
    await shot('early-read');
  }],
  ['kernels: a program of queues has tracks for its host and each queue, arrows between them, and what memory holds back', async () => {
    await choose('loop.trace.2');
    const tracks = page.locator('.host-side svg.tracks');
    const names = () => tracks.locator('.name').allTextContents();
    for (const name of ['host', 'queue 0 (family 0)', 'queue 1 (family 1)']) await eventually(async () => assert.ok((await names()).includes(name), `${await names()}`));
    assert.ok((await names()).some(name => /the host's cache of 'staging'/.test(name)), `${await names()}`);
    assert.match(await tracks.textContent(), /\d+ not flushed/);
    assert.ok(await tracks.locator('.order').count() > 3);
    const signal = tracks.locator('[aria-label*=": signals timeline"]').first();
    const event = await signal.getAttribute('data-event');
    await signal.click();
    await page.locator(`.film[data-event="${event}"]`).waitFor();
    assert.match(await page.locator('.film .events .now').textContent(), /queue \d \(family \d\) signals timeline semaphore 'steps'/);
    assert.match(await page.locator('h2.where').textContent(), /upload_loop\.cpp:\d+/);
    await shot('queues');
    await page.goto(`file://${loop_html}`);
    await page.locator('#tracks .name', {hasText: 'queue 1 (family 1)'}).waitFor();
    await page.locator('#tracks [data-event]', {hasText: 'submit2 to' }).first().click();
    assert.match(await page.locator('#events .now').textContent(), /host submit2 to queue/);
    assert.match(await page.locator('#code .now').textContent(), /submit2/);
    await page.goto('about:blank');
    await page.goto(`${address}#kernels`);
  }],
  ['kernels: a trace of more than a million events has all of its stale reads', async () => {
    const count = Number(/(\d+) stale reads?/.exec(summary)[1]);
    assert.ok(count > 1, summary);
    const begin = performance.now();
    await choose('long.trace');
    await page.locator('.film[data-event="0"]').waitFor();
    const events = Number(/Event 0 of (\d+)/.exec(await page.locator('.film').textContent())[1]);
    console.log(`  ${events} events are open after ${((performance.now() - begin) / 1000).toFixed(2)} s`);
    assert.ok(events > 1e6);
    assert.equal(await page.locator('details[data-kind="stale"] [data-wrong]').count(), count);
    await page.locator('details[data-kind="stale"] [data-wrong]').last().click();
    await page.locator('section[aria-label="This read"]').waitFor();
    await page.goto(address);
  }],
  ];
};

await test(steps, {traces: [trace, early, long, races, `${loop}.2`]});
