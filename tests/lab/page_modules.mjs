// SPIR-V modules on the lab's page, in a real browser: run, explained, played, edited, shared.
//
//   node tests/lab/page_modules.mjs HEDDLE FOLDER CHROMIUM OUTPUT
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {test} from './browser.mjs';

const shader = name => readFileSync(new URL(`../../samples/shaders/${name}.spvasm`, import.meta.url), 'utf8');

const steps = ({page, shot, tab, eventually, write, run}) => {
  const play = page.locator('section[aria-label="Play"]');
  const choose = async name => {
    await page.getByLabel('Examples').selectOption(name);
    await eventually(async () => assert.equal(await page.evaluate(() => JSON.parse(localStorage.getItem('heddle-lab.text'))), shader(name)));
  };
  const move = async text => {
    const at = Number(await play.getAttribute('data-at'));
    await page.locator('.moves.now button', {hasText: text}).first().click();
    await page.locator(`section[aria-label="Play"][data-at="${at + 1}"]`).waitFor();
  };
  /** Up to where the reader has seen the flag, and the data has not gone on. */
  const untilFlagIsSeen = async () => {
    await move('invocation 0 writes %data[0] = 5');
    await move('invocation 0 writes %flag[0] = 1');
    const onward = page.locator('.moves.now button', {hasText: '%flag[0] = 1 of step 2 goes on'});
    while (await onward.count() > 0) await move('%flag[0] = 1 of step 2 goes on');
    await move('invocation 1 reads %flag[0] = 1 of step 2');
    await move('invocation 1 writes %result[0][0] = 1');
  };
  return [
    ['a module of the examples is run: what may come out, how often, and why it races', async () => {
      await choose('message');
      await run();
      assert.match(await page.locator('.verdict').first().textContent(), /It fails: not every execution ends so\. There is a data race\./);
      await page.locator('tr[data-outcome="%result[0][0]=1 %result[0][1]=0"]').waitFor();
      await page.locator('section[aria-label="Run"] progress').waitFor({state: 'detached'});
      assert.match(await page.locator('tr[data-outcome="%result[0][0]=0 %result[0][1]=9"]').textContent(), /allowed, seen/);
      await tab('Why');
      await page.getByRole('heading', {name: 'Why there is a race on %data'}).waitFor();
      await page.getByText('Declare %data coherent.').waitFor();
      await shot('module-why');
    }],
    ['it is played move by move, to the stale value and the race', async () => {
      await tab('Play');
      await page.locator('section[aria-label="Play"][data-test="message"][data-at="0"]').waitFor();
      const writer = page.getByRole('group', {name: 'Thread invocation 0'});
      assert.match(await writer.locator('li.next').textContent(), /OpStore %26 %uint_5/);
      assert.ok(await writer.getByText('message.comp:16').count() > 0, 'the line of GLSL stands there');
      await untilFlagIsSeen();
      await move('invocation 1 reads %data[0] = 0, the initial value');
      await move('invocation 1 writes %result[0][1] = 0');
      await move('All threads have come to a halt');
      await play.getByText('The test says of every game that %result[0][0] == 0 or %result[0][1] == 5 holds, and here it does not.').waitFor();
      await play.getByText(/races with/).first().waitFor();
      await shot('module-play');
    }],
    ['a link has the module and the game', async () => {
      await page.getByRole('button', {name: 'Link', exact: true}).click();
      await page.getByText(/The link is/).waitFor();
      const link = page.url();
      await choose('look_back_coherent');
      await page.goto('about:blank');
      await page.goto(link);
      await page.locator('section[aria-label="Play"][data-test="message"][data-ended="true"]').waitFor();
    }],
    ['edited, the race is gone, and the stale value is no move', async () => {
      await page.getByRole('button', {name: 'Show the test'}).click();
      await write(shader('message').replace('OpMemberDecorate %Data 0 Offset 0', 'OpMemberDecorate %Data 0 Coherent\n               OpMemberDecorate %Data 0 Offset 0'));
      await page.locator('section[aria-label="Play"][data-at="0"]').waitFor();
      await untilFlagIsSeen();
      assert.equal(await page.locator('.moves.now button', {hasText: 'reads %data[0] = 0'}).count(), 0);
      await move('invocation 1 reads %data[0] = 5');
      assert.equal(await play.getByText(/races with/).count(), 0);
      await page.locator('button.run').first().click();
      await page.getByText('It holds: every execution ends so. There is no data race.').waitFor();
    }],
    ['an error is shown in its line', async () => {
      await write(shader('message').replace('OpStore %26', 'OpStoore %26'));
      await eventually(async () => assert.match(await page.locator('.write .problem').textContent(), /^Line 86: there is no instruction "OpStoore"/));
      await write('#version 450\nvoid main() {}\n');
      await eventually(async () => assert.match(await page.locator('.write .problem').textContent(), /glslangValidator/));
    }],
    ['a file that is dropped opens as a test of one\'s own, and a binary says what to do', async () => {
      const drop = (name, text) => page.evaluate(([name, text]) => {
        const data = new DataTransfer();
        data.items.add(new File([text], name));
        document.querySelector('main').dispatchEvent(new DragEvent('drop', {bubbles: true, cancelable: true, dataTransfer: data}));
      }, [name, text]);
      await drop('mine.spvasm', shader('look_back'));
      await eventually(async () => assert.equal(await page.getByLabel('Name', {exact: true}).first().inputValue(), 'mine'));
      await run();
      await page.locator('tr[data-outcome="%before[0][0]=0 %before[0][1]=3 %before[0][2]=7"]').waitFor();
      await drop('mine.spv', '\x03\x02#\x07\x00\x00\x01\x00');
      await page.getByText('mine.spv is a binary module').waitFor();
    }],
  ];
};

await test(steps);
