// Play in a real browser: one screen, keys, focus, tokens that move.
//
//   node tests/lab/page_play.mjs HEDDLE FOLDER CHROMIUM OUTPUT
import assert from 'node:assert/strict';
import {kChallenges} from '../../emulator/lab/page/src/challenges.mjs';
import {test} from './browser.mjs';

const kScreens = {
  'a small laptop': {width: 1280, height: 800}, 'a projector in classroom view': {width: 1920, height: 1080}, 'a phone': {width: 390, height: 844},
};
/** What is below the edge of the screen, or right of it, of what one plays with. */
const outOfSight = page => page.evaluate(() => [...document.querySelectorAll('.play .place, .play [data-move], .play .controls button')]
  .filter(one => getComputedStyle(one).display !== 'none')
  .map(one => [one.getBoundingClientRect(), one.textContent])
  .filter(([box]) => box.top < 0 || box.bottom > innerHeight || box.right > innerWidth)
  .map(([box, words]) => `${words} (to ${box.bottom.toFixed(0)} of ${innerHeight})`));

/** Opens a test with no move done. */
const begin = async ({page, open}, name) => {
  await open(name);
  const play = page.locator(`section[aria-label="Play"][data-test="${name}"]`);
  await play.waitFor();
  // A game that was begun before goes on.
  if (await play.getAttribute('data-at') !== '0') await page.getByRole('button', {name: 'Start', exact: true}).click();
  await page.locator('section[aria-label="Play"][data-at="0"]').waitFor();
};

const steps = ({page, shot, tab, eventually, open, write, run}) => [
  ['play: a challenge that asks for a game knows its test in the other spelling, too', async () => {
    const challenge = kChallenges.find(one => one.id === 'reach-both-old');
    await write(challenge.text);
    await page.getByRole('button', {name: 'Write as calls'}).click();
    await page.locator('.cm-content', {hasText: 'atomicStore('}).waitFor();
    await tab('Run');
    await run();
    await page.getByRole('button', {name: 'Show one P0:r0=0 P1:r0=0'}).click();
    await page.locator('section[aria-label="Play"][data-ended="true"]').waitFor();
    await page.getByText(`Challenge "${challenge.title}": Solved`).waitFor();
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
  ...Object.entries(kScreens).map(([screen, size]) => [`threads, used caches, memory and moves are all in sight on ${screen}`, async () => {
    await tab('Play');
    await page.setViewportSize(size);
    if (size.width === 1920) await page.getByRole('button', {name: 'Classroom'}).click();
    const play = page.locator('section[aria-label="Play"]');
    for (const name of ['1-message', '1-store-buffering', '3-release-acquire', '5-both-classes']) {
      await begin({page, open}, name);
      let least = 0;
      // The next move of those with a key, another one each time, so that caches fill and empty.
      for (let at = 0; await play.getAttribute('data-ended') === 'false' && at < 14; ++at) {
        assert.deepEqual(await outOfSight(page), [], `${name}, step ${at}`);
        const moves = await play.locator('[data-move]').count();
        await page.keyboard.press(String(1 + (3 * at) % moves));
        await page.locator(`section[aria-label="Play"][data-at="${at + 1}"]`).waitFor();
        least = Math.max(least, await play.locator('.place.cache').count());
        if (at === 4) await shot(`play-${size.width}-${name}`);
      }
      assert.ok(least <= 4, `caches that hold nothing are not drawn: ${least} of 7 were`);
    }
    if (size.width === 1920) await page.getByRole('button', {name: 'Classroom'}).click();
    await page.setViewportSize({width: 1280, height: 900});
  }]),
  ['keys play from anywhere on the page, but not where one writes', async () => {
    await tab('Play');
    await begin({page, open}, '1-message');
    const at = step => page.locator(`section[aria-label="Play"][data-at="${step}"]`).waitFor();
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press('1');
    await at(1);
    await page.locator('.timeline').focus();
    await page.keyboard.press('1');
    await at(2);
    await page.locator('#tab-play').focus();
    await page.keyboard.press('u');
    await at(1);
    await page.keyboard.press('r');
    await at(2);
    await page.getByRole('button', {name: 'Show the test'}).click();
    const before = await page.locator('.cm-content').textContent();
    await page.locator('.cm-line').nth(1).click();
    await page.keyboard.type('12');
    await eventually(async () => assert.notEqual(await page.locator('.cm-content').textContent(), before));
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Backspace');
    await at(2);
    await page.getByLabel('Name', {exact: true}).first().fill('1u2r');
    await at(2);
    await page.getByRole('button', {name: 'Hide the test'}).click();
  }],
  ['the focus stays among the moves, and each move is said', async () => {
    await begin({page, open}, '1-message');
    await page.locator('.moves.now button').first().focus();
    for (let step = 1; step <= 4; ++step) {
      await page.keyboard.press('Enter');
      await page.locator(`section[aria-label="Play"][data-at="${step}"]`).waitFor();
      await eventually(async () => assert.ok(await page.evaluate(() => document.activeElement.matches('.moves.now button'))));
      const said = await page.locator('section[aria-label="Play"] [aria-live="polite"]').textContent();
      assert.match(said, new RegExp(`^Step ${step} of ${step}\\. P\\d.*(move|ended)`));
    }
  }],
  ['a token moves to where it goes, and stands still for whoever wants that', async () => {
    await page.evaluate(() => {
      window.moved = [];
      const animate = Element.prototype.animate;
      Element.prototype.animate = function(...given) {
        window.moved.push(this.textContent);
        return animate.apply(this, given);
      };
    });
    const forward = async () => {
      await begin({page, open}, '1-message');
      await page.evaluate(() => window.moved = []);
      await page.locator('[data-move="t0"]').click();
      await page.locator('button.token.write').click();
      await page.locator('section[aria-label="Play"][data-at="2"]').waitFor();
      return page.evaluate(() => window.moved);
    };
    const moved = await forward();
    assert.ok(moved.some(words => /x = 1 → memory/.test(words)), `the write comes from its thread: ${moved}`);
    assert.ok(moved.some(words => /^x = 1$/.test(words.trim())), `and goes to memory: ${moved}`);
    await page.emulateMedia({reducedMotion: 'reduce'});
    assert.deepEqual(await forward(), []);
    await page.emulateMedia({reducedMotion: null});
  }],
];

await test(steps);
