// A browser with the lab's page in it, for tests by clicks and keys.
//
// A test is a list of steps, [title, function]: `test(steps, {...})` makes them in their order, says how each went, and sets
// the exit code. Its command line is HEDDLE FOLDER CHROMIUM OUTPUT: the program, the built page, the browser, and where
// screenshots go (OUTPUT/lab-*.png).
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {mkdtempSync, rmSync} from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

export const [heddle, folder, chromium, output] = process.argv.slice(2);
const require = createRequire(new URL('../../emulator/lab/page/package.json', import.meta.url));
const {chromium: browserType} = require('playwright-core');

// A machine with other work takes its time: only what never comes is a failure. How long things took is printed.
const kPatience = 120000;

async function serve(traces) {
  const server = spawn(heddle, ['lab', '--page', folder, ...traces], {stdio: ['ignore', 'pipe', 'inherit']});
  const address = await new Promise((resolve, reject) => {
    server.stdout.on('data', data => {
      const found = /http:\S+/.exec(String(data));
      if (found) resolve(found[0].replace('#kernels', ''));
    });
    server.on('exit', code => reject(new Error(`heddle lab ended with ${code}`)));
  });
  return {server, address};
}

/** What steps do with a page again and again. */
function hands(page) {
  const text = () => page.evaluate(() => [...document.querySelectorAll('.cm-line')].map(line => line.textContent).join('\n'));
  return {
    page, text,
    shot: name => page.screenshot({path: join(output, `lab-${name}.png`), fullPage: true}),
    tab: name => page.getByRole('tab', {name}).click(),
    // A page that has much to do draws what a click asks for a little later.
    eventually: async check => {
      for (const end = performance.now() + kPatience; ;) {
        try {
          return await check();
        } catch (failure) {
          if (performance.now() > end) throw failure;
          await page.waitForTimeout(100);
        }
      }
    },
    open: async name => {
      await page.getByLabel('Examples').selectOption(name);
      // Some tabs hide the editor.
      await page.locator('.cm-content', {hasText: name}).waitFor({state: 'attached'});
    },
    write: async source => {
      await page.locator('.cm-content').click();
      await page.keyboard.press('Control+A');
      await page.keyboard.insertText(source);
    },
    run: async () => {
      await page.locator('button.run').first().click();
      await page.locator('.results[data-state="answered"]').waitFor();
    },
    milliseconds: name => page.locator('.results').getAttribute(`data-${name}-ms`).then(Number),
  };
}

/** Makes the steps of `stepsOf({page, address, text, ...})`; the server has `traces`. */
export async function test(stepsOf, {traces = [], viewport = {width: 1280, height: 900}} = {}) {
  const {server, address} = await serve(traces);
  const profile = mkdtempSync(join(tmpdir(), 'heddle-lab-browser-'));
  const context = await browserType.launchPersistentContext(profile, {
    executablePath: chromium, headless: true, timeout: kPatience, viewport, colorScheme: 'light',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
  const problems = [];
  const page = context.pages()[0];
  page.setDefaultTimeout(Number(process.env.HEDDLE_PATIENCE ?? kPatience));
  page.on('pageerror', error => problems.push(`an exception: ${error.message}`));
  page.on('console', message => message.type() === 'error' && problems.push(`an error: ${message.text()}`));
  const hand = hands(page);
  let failed = 0;
  try {
    await page.goto(address);
    await page.getByLabel('Examples').waitFor();
    for (const [title, step] of stepsOf({...hand, address, context})) {
      try {
        await step();
        console.log(`ok: ${title}`);
      } catch (error) {
        ++failed;
        console.log(`FAILED: ${title}\n${error.stack}`);
        await hand.shot('failed').catch(() => {});
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
  }
  process.exitCode = failed === 0 ? 0 : 1;
}
