// Work that lasts, in a real browser: tests of one's own, files, links, games, back and forward, addresses.
//
//   node tests/lab/page_work.mjs HEDDLE FOLDER CHROMIUM OUTPUT
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {test} from './browser.mjs';
import {kChallenges} from '../../emulator/lab/page/src/challenges.mjs';

const kMine = 'Vulkan mine\n{ x = 0; }\n P0@sg 0, wg 0, qf 0 ;\n st.atom.dv.sc0 x, 1 ;\nexists (x == 1)\n';
const kOther = kMine.replace('mine', 'other');

const steps = ({page, address, text, shot, tab, eventually, open, write, run}) => {
  const textIs = (what, why) => eventually(async () => assert.equal(await text(), what.trimEnd() + (what.endsWith('\n') ? '\n' : ''), why));
  const mine = () => page.locator('.mine button.test').allTextContents();
  const menu = () => page.getByText(/^My tests/).first().click();
  const chosen = () => page.getByLabel('Examples').evaluate(one => one.selectedOptions[0].textContent);
  const linkOf = async () => {
    await page.getByRole('button', {name: 'Link', exact: true}).click();
    await page.getByText(/The link is/).waitFor();
    return page.url();
  };
  const visit = async link => {
    await page.goto('about:blank');
    await page.goto(link);
    await page.getByLabel('Examples').waitFor();
  };
  let original;
  return [
    ['an example that is changed becomes a test of one\'s own, and stays as it was itself', async () => {
      await tab('Run');
      await open('1-message');
      original = await text();
      await write(kMine);
      await eventually(async () => assert.equal(await chosen(), '1-message-mine'));
      await open('1-message');
      await textIs(original);
      await page.getByLabel('Examples').selectOption({label: '1-message-mine'});
      await textIs(kMine);
      await page.reload();
      await textIs(kMine);
      assert.equal(await chosen(), '1-message-mine');
      await page.getByLabel('Name', {exact: true}).fill('my first');
      await eventually(async () => assert.equal(await chosen(), 'my first'));
    }],
    ['a link opens beside what was there', async () => {
      await open('2-plain');
      await write(kOther);
      const link = await linkOf();
      await menu();
      page.once('dialog', dialog => dialog.accept());
      await page.getByRole('button', {name: 'Remove 2-plain-mine'}).click();
      await eventually(async () => assert.deepEqual(await mine(), ['my first']));
      await page.keyboard.press('Escape');
      await page.getByLabel('Examples').selectOption({label: 'my first'});
      await textIs(kMine);
      await visit(link);
      await textIs(kOther);
      await menu();
      assert.deepEqual(await mine(), ['my first', '2-plain-mine']);
      await shot('my-tests');
      // The same link again brings nothing twice.
      await visit(link);
      await textIs(kOther);
      await menu();
      assert.equal((await mine()).length, 2);
      await page.locator('.mine button.test', {hasText: 'my first'}).click();
      await textIs(kMine);
      const list = page.getByRole('group', {name: 'My tests'});
      await list.waitFor({state: 'hidden'});
      await menu();
      await list.waitFor();
      await page.keyboard.press('Escape');
      await list.waitFor({state: 'hidden'});
    }],
    ['tests go into a file, and come out of one', async () => {
      await menu();
      const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', {name: /Save as a file \(all 2\)/}).click()]);
      const file = await download.path();
      assert.match(readFileSync(file, 'utf8'), /"my first"/);
      for (const name of ['my first', '2-plain-mine']) {
        page.once('dialog', dialog => dialog.accept());
        await page.getByRole('button', {name: `Remove ${name}`}).click();
      }
      await eventually(async () => assert.deepEqual(await mine(), []));
      await page.getByLabel('Open a file of tests').setInputFiles(file);
      await eventually(async () => assert.deepEqual(await mine(), ['my first', '2-plain-mine']));
      await page.getByLabel('Open a file of tests').setInputFiles({name: 'bad.json', mimeType: 'application/json', buffer: Buffer.from('{"tests": 1}')});
      await page.getByText(/bad\.json has no tests/).waitFor();
      await page.getByLabel('Open a file of tests').setInputFiles({name: 'third.litmus', mimeType: 'text/plain', buffer: Buffer.from(original)});
      await eventually(async () => assert.deepEqual(await mine(), ['my first', '2-plain-mine', 'third']));
    }],
    ['a teacher\'s list of tests is one link', async () => {
      await page.getByLabel('Choose my first').check();
      await page.getByLabel('Choose third').check();
      await page.getByLabel('Title of the list').fill('Week 3');
      await page.getByRole('button', {name: 'One link to the 2 chosen'}).click();
      await page.getByText(/it holds 2 tests/).waitFor();
      const link = page.url();
      await visit(link);
      await page.getByText(/2 tests have come with the link/).waitFor();
      await menu();
      await eventually(async () => assert.equal((await mine()).length, 5));
      assert.equal(await page.locator('.mine li', {hasText: 'Week 3'}).count(), 2);
      await menu();
    }],
    ['a game survives a reload, and words that do not change the program', async () => {
      await open('1-message');
      await tab('Play');
      const play = page.locator('section[aria-label="Play"]');
      const at = step => page.locator(`section[aria-label="Play"][data-test="1-message"][data-at="${step}"]`).waitFor();
      await at(0);
      for (const step of [1, 2, 3]) {
        await page.keyboard.press('1');
        await at(step);
      }
      await page.keyboard.press('u');
      await at(2);
      const done = await play.locator('.done').textContent();
      await page.reload();
      await at(2);
      assert.equal(await play.locator('.done').textContent(), done);
      assert.match(await play.locator('.time').textContent(), /Step 2 of 3/);
      await page.getByRole('button', {name: 'Show the test'}).click();
      await page.locator('.cm-line').nth(1).click();
      await page.keyboard.press('End');
      await page.keyboard.type(' A word about it.');
      await page.locator('.cm-line').nth(6).click();
      await page.keyboard.press('Home');
      await page.keyboard.type('  ');
      // The page waits for one who types to rest, before it begins another game or keeps the text in its history.
      await eventually(async () => assert.match(await page.evaluate(() => history.state.work.text), /A word about it[^]*\n {3}/));
      await at(2);
      // Another program is another game; the one before comes back with its program.
      await page.keyboard.press('Control+A');
      await page.keyboard.insertText(original.replace('x, 1', 'x, 2'));
      await at(0);
      await page.keyboard.press('Control+Z');
      await at(2);
      await page.getByRole('button', {name: 'Hide the test'}).click();
    }],
    ['a link from Play brings the moves, whatever game there is of the same test', async () => {
      await open('1-message');
      const at = step => page.locator(`section[aria-label="Play"][data-test="1-message"][data-at="${step}"]`).waitFor();
      await at(2);
      const link = await linkOf();
      await page.getByRole('button', {name: 'Start', exact: true}).click();
      await at(0);
      await visit(link);
      await at(2);
    }],
    ['back and forward walk through what was done', async () => {
      // The test as it is kept: the editor turns its threads around when it has found out how wide it is.
      const kept = () => page.evaluate(() => JSON.parse(localStorage.getItem('heddle-lab.text')));
      const keptIs = (wanted, what) => eventually(async () => assert.equal(await kept(), wanted, what));
      await open('2-plain');
      const plain = await kept();
      await tab('Course');
      await page.getByLabel('Lesson').selectOption('3');
      await eventually(async () => assert.match(page.url(), /#course\/4$/));
      await page.getByRole('button', {name: 'Next'}).click();
      await eventually(async () => assert.match(page.url(), /#course\/5$/));
      await tab('Run');
      await open('3-no-acquire');
      const before = await kept();
      await run();
      await tab('Why');
      await page.locator('[data-fix="0"]').click();
      await eventually(async () => assert.notEqual(await kept(), before));
      await page.goBack();
      await keptIs(before, 'a change that mends is taken back');
      await page.goBack();
      await eventually(async () => assert.match(page.url(), /#run$/));
      await page.goBack();
      await keptIs(plain, 'the test before');
      await page.goBack();
      await page.getByRole('heading', {name: /Lesson 5/}).waitFor();
      await page.goBack();
      await page.getByRole('heading', {name: /Lesson 4/}).waitFor();
      await page.goForward();
      await page.getByRole('heading', {name: /Lesson 5/}).waitFor();
      await page.goForward();
      await page.goForward();
      await keptIs(before);
    }],
    ['lessons, challenges and views have addresses', async () => {
      await visit(`${address}#course/3`);
      await page.getByRole('heading', {name: 'Lesson 3: release and acquire'}).waitFor();
      await visit(`${address}#challenge/12`);
      await page.getByRole('heading', {name: `12. ${kChallenges[11].title}`}).waitFor();
      await visit(`${address}#play`);
      await page.locator('section[aria-label="Play"] .thread').first().waitFor();
      await page.evaluate(() => location.hash = '#course/1');
      await page.getByRole('heading', {name: /Lesson 1/}).waitFor();
      await visit(`${address}#course/99`);
      await page.getByRole('heading', {name: /Lesson 9/}).waitFor();
    }],
    ['a lesson leads to its challenges, and a challenge to its lesson', async () => {
      for (let lesson = 1; lesson <= 9; ++lesson) assert.ok(kChallenges.some(one => one.lesson === lesson), `lesson ${lesson}`);
      await visit(`${address}#course/4`);
      const at = kChallenges.findIndex(one => one.lesson === 4);
      await page.getByRole('link', {name: `${at + 1}. ${kChallenges[at].title}`}).click();
      await page.getByRole('heading', {name: `${at + 1}. ${kChallenges[at].title}`}).waitFor();
      await page.getByRole('link', {name: /^4: scopes/i}).click();
      await page.getByRole('heading', {name: /^Lesson 4/}).waitFor();
    }],
  ];
};

await test(steps);
