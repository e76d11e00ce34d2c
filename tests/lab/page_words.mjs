// The notation in a real browser: threads below each other, and what each word means.
//
//   node tests/lab/page_words.mjs HEDDLE FOLDER CHROMIUM OUTPUT
import assert from 'node:assert/strict';
import {readFileSync, readdirSync} from 'node:fs';
import {test} from './browser.mjs';

const course = new URL('../../samples/course/', import.meta.url);
const source = name => readFileSync(new URL(`${name}.litmus`, course), 'utf8');
/** What of a test is no matter of looks. */
const plain = words => words.replace(/\s+/g, ' ').replace(/ ?([|;]) ?/g, '$1').trim();

const steps = ({page, shot, tab, eventually, open, write, run}) => {
  const lines = () => page.locator('.cm-line').allTextContents();
  const kept = () => page.evaluate(() => JSON.parse(localStorage.getItem('heddle-lab.text')));
  const below = page.getByRole('button', {name: 'Threads below each other'});
  /** The right edge of the longest line, and that of the editor. */
  const edges = () => page.evaluate(() => {
    const range = document.createRange();
    const right = [...document.querySelectorAll('.cm-line')].map(line => (range.selectNodeContents(line), range.getBoundingClientRect().right));
    return [Math.max(...right), document.querySelector('.cm-scroller').getBoundingClientRect().right];
  });
  return [
    ['on a phone a lesson begins at the top of the screen, and so does the test that it opens', async () => {
      await page.setViewportSize({width: 390, height: 844});
      await tab('Course');
      await page.getByLabel('Lesson').selectOption({index: 2});
      const top = part => page.locator(part).evaluate(element => element.getBoundingClientRect().top);
      await eventually(async () => assert.ok(Math.abs(await top('.results')) < 20, `the lesson is at ${await top('.results')}`));
      await page.locator('.course button.test', {hasText: '3-fences'}).first().click();
      await eventually(async () => assert.ok(Math.abs(await top('#test')) < 20, `the test is at ${await top('#test')}`));
      assert.ok(await page.getByRole('tab', {name: 'Kernels'}).evaluate(element => element.getBoundingClientRect().right <= innerWidth),
                'the last view is on the screen');
      await page.setViewportSize({width: 1280, height: 900});
    }],
    ['no thread of a lesson is cut off in the editor: on a laptop, in a classroom and on a phone', async () => {
      await tab('Run');
      for (const [width, classroom] of [[1280, false], [1920, true], [390, false]]) {
        await page.setViewportSize({width, height: 900});
        if (classroom) await page.getByRole('button', {name: 'Classroom'}).click();
        for (const file of readdirSync(course).filter(name => name.endsWith('.litmus'))) {
          await open(file.replace('.litmus', ''));
          await eventually(async () => {
            const [longest, editor] = await edges();
            assert.ok(longest <= editor || width === 390, `${file} at ${width}: to ${longest.toFixed(0)} of ${editor.toFixed(0)}`);
            if (width === 390) assert.ok((await lines()).every(line => !/^\s*P\d.*\|/.test(line)), `${file}: threads are below each other`);
          });
        }
        if (classroom) await page.getByRole('button', {name: 'Classroom'}).click();
      }
      await page.setViewportSize({width: 1280, height: 900});
    }],
    ['a test with its threads below each other is the same test, and is written there', async () => {
      for (const name of ['1-message', '3-release-acquire', '7-handed-on', '8-look-back']) {
        await open(name);
        if (await below.getAttribute('aria-pressed') !== 'true') await below.click();
        await eventually(async () => assert.ok((await lines()).some(line => /^P1@[^|]*:$/.test(line)), name));
        const before = await lines();
        // A space behind the last word changes nothing but the text.
        await page.locator('.cm-line', {hasText: /^P0@/}).first().click();
        await page.keyboard.press('ArrowDown');
        await page.keyboard.press('End');
        await page.keyboard.type('  ');
        await eventually(async () => assert.equal(plain(await kept()), plain(source(name)), name));
        assert.deepEqual((await lines()).map(line => line.trimEnd()), before.map(line => line.trimEnd()));
        await open(name);
        await below.click();
        await eventually(async () => assert.deepEqual(await lines(), source(name).split('\n')));
      }
      await page.evaluate(() => localStorage.removeItem('heddle-lab.layout'));
      await page.reload();
    }],
    ['an instruction that is written below a thread is that thread\'s, with or without a space in front', async () => {
      await open('3-release-acquire');
      await eventually(async () => assert.ok((await lines()).includes('P1@sg 0, wg 1, qf 0:')));
      await page.locator('.cm-line', {hasText: 'ld.nonpriv.sc0 r1, x'}).click();
      await page.keyboard.press('End');
      await page.keyboard.press('Enter');
      await page.keyboard.press('Home');
      await page.keyboard.press('Shift+Home');
      await page.keyboard.type('ld.nonpriv.sc0 r2, x');
      await eventually(async () => assert.match(plain(await kept()), /;\|ld\.nonpriv\.sc0 r2, x;filter/));
      await run();
      assert.equal(await page.locator('.write .problem').count(), 0);
    }],
    ['an error of the second thread is shown in its line, with the line\'s number in the file', async () => {
      await open('3-release-acquire');
      await eventually(async () => assert.ok((await lines()).includes('P1@sg 0, wg 1, qf 0:')));
      const line = page.locator('.cm-line', {hasText: 'ld.nonpriv.sc0 r1, x'});
      await line.click();
      await page.keyboard.press('Home');
      for (let i = 0; i < 'ld.nonpriv.sc0'.length; ++i) await page.keyboard.press('ArrowRight');
      await page.keyboard.press('Backspace');
      await page.keyboard.type('9');
      await line.waitFor({state: 'detached'});
      await page.locator('.write .problem', {hasText: /^Line 8: expected a storage class/}).waitFor();
      await eventually(async () => assert.match(await page.locator('.cm-line:has(.cm-lintRange-error)').textContent(), /ld\.nonpriv\.sc9 r1, x/));
    }],
    ['pointing at a word says what it means: in the editor, in a lesson, in a graph', async () => {
      await open('3-release-acquire');
      const at = await page.evaluate(() => {
        const walk = document.createTreeWalker(document.querySelector('.cm-content'), NodeFilter.SHOW_TEXT);
        for (let node = walk.nextNode(); node; node = walk.nextNode()) {
          const begin = node.textContent.indexOf('semav');
          if (begin < 0) continue;
          const range = document.createRange();
          range.setStart(node, begin);
          range.setEnd(node, begin + 5);
          const box = range.getBoundingClientRect();
          return {x: box.x + box.width / 2, y: box.y + box.height / 2};
        }
      });
      await page.mouse.move(at.x, at.y, {steps: 3});
      await page.locator('.word-meaning', {hasText: /^semav: \w.*available/}).waitFor();
      await page.mouse.move(0, 0);
      await run();
      await tab('Why');
      await page.locator('svg.graph').waitFor();
      const titles = await page.locator('svg.graph g.box > title').allTextContents();
      assert.ok(titles.some(one => /^semvis: \w/m.test(one)), `${titles}`);
      await tab('Course');
      await page.getByLabel('Lesson').selectOption('2');
      assert.match(await page.locator('.course code[title]', {hasText: '.semsc0.semav'}).first().getAttribute('title'), /semav: \w/);
    }],
    ['each word of each test of the course has an entry, from lesson 1 on', async () => {
      const notation = page.locator('details.notation');
      await tab('Run');
      for (const file of readdirSync(course).filter(name => name.endsWith('.litmus'))) {
        const name = file.replace('.litmus', '');
        await open(name);
        const code = source(name).slice(source(name).indexOf('}'));
        const words = new Set(code.match(/(?:(?<=\.)[a-z_]\w*|\b(?:ld|st|rmw|membar|cbar|sg|wg|qf|exists|filter|forall)\b)/g));
        await eventually(async () => {
          const terms = new Set(await notation.locator('dt code').allTextContents());
          for (const word of words) assert.ok(terms.has(word), `${name}: ${word}`);
        });
      }
    }],
  ];
};

await test(steps);
