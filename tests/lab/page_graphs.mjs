// Executions as graphs, in a real browser: their size, their relations, files, and what is forbidden.
//
//   node tests/lab/page_graphs.mjs HEDDLE FOLDER CHROMIUM OUTPUT
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {test} from './browser.mjs';

/** Six threads that write and read two variables; the last two race. */
const kThreads = [0, 1, 2, 3, 4, 5];
const cell = words => ` ${kThreads.map(words).join(' | ')} ;\n`;
const kSix = `Vulkan Six\n{ x = 0; y = 0; }\n${cell(i => `P${i}@sg 0, wg ${i}, qf 0`)}${cell(i => i < 4 ? 'st.atom.dv.sc0 x, 1' : 'st.nonpriv.sc0 y, 1')}exists (x == 1)\n`;

/** How much two colours differ, by WCAG 2. */
function contrast(a, b) {
  const light = colour => {
    const [r, g, b] = [1, 3, 5].map(at => parseInt(colour.slice(at, at + 2), 16) / 255).map(one => one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [high, low] = [light(a), light(b)].sort((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
}

const steps = ({page, shot, tab, eventually, open, write, run}) => {
  const graph = page.locator('svg.graph');
  const stage = page.getByRole('group', {name: 'Execution graph'});
  const why = async name => {
    await tab('Run');
    await open(name);
    await run();
    await tab('Why');
    await graph.waitFor();
  };
  const width = async one => (await one.boundingBox()).width;
  const fits = () => eventually(async () => {
    const [inner, outer] = [await width(graph), await width(stage)];
    assert.ok(inner <= outer + 0.5, `${inner} of ${outer}`);
  });
  return [
    ['a graph of six threads fits the width, with its race in sight', async () => {
      await tab('Run');
      await write(kSix);
      await run();
      await tab('Why');
      await graph.waitFor();
      await fits();
      const race = await page.locator('g[data-relation="race"] path').first().boundingBox();
      const frame = await stage.boundingBox();
      assert.ok(race.x >= frame.x && race.x + race.width <= frame.x + frame.width, 'the race is inside');
      await shot('six-threads');
    }],
    ['it is made larger and smaller, by buttons, keys and the wheel, and moved by hand', async () => {
      const fitted = await width(graph);
      for (let i = 0; i < 4; ++i) await page.getByRole('button', {name: 'Larger'}).click();
      await eventually(async () => assert.ok(Math.abs(await width(graph) / fitted - 1.25 ** 4) < 0.02));
      const frame = await stage.boundingBox();
      await page.mouse.move(frame.x + 300, frame.y + 60);
      await page.mouse.down();
      await page.mouse.move(frame.x + 100, frame.y + 60, {steps: 4});
      await page.mouse.up();
      assert.equal(await stage.evaluate(one => one.scrollLeft), 200);
      await page.keyboard.down('Control');
      await page.mouse.wheel(0, 100);
      await page.keyboard.up('Control');
      await eventually(async () => assert.ok(Math.abs(await width(graph) / fitted - 1.25 ** 3) < 0.02));
      await stage.focus();
      await page.keyboard.press('-');
      await eventually(async () => assert.ok(Math.abs(await width(graph) / fitted - 1.25 ** 2) < 0.02));
      await page.keyboard.press('0');
      await fits();
      await page.setViewportSize({width: 1000, height: 900});
      await fits();
      await page.setViewportSize({width: 1280, height: 900});
    }],
    ['relations are switched off and on', async () => {
      await why('3-release-acquire');
      const arrows = relation => page.locator(`g[data-relation="${relation}"]`);
      await eventually(async () => assert.ok(await arrows('sw').count() > 0));
      for (const relation of ['sw', 'po', 'rf']) {
        await page.locator(`[data-group="${relation}"]`).uncheck();
        await eventually(async () => assert.equal(await arrows(relation).count(), 0));
      }
      await page.locator('[data-group="sw"]').check();
      await eventually(async () => assert.ok(await arrows('sw').count() > 0));
      assert.equal(await arrows('rf').count(), 0);
      for (const relation of ['po', 'rf']) await page.locator(`[data-group="${relation}"]`).check();
      await eventually(async () => assert.ok(await arrows('rf').count() > 0));
    }],
    ['the file has the title and the legend', async () => {
      const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', {name: 'Save as SVG'}).click()]);
      const file = readFileSync(await download.path(), 'utf8');
      assert.match(file, /<title>3-release-acquire\. /);
      assert.match(file, /<text [^>]*font-weight="700"[^>]*>3-release-acquire\. /);
      for (const line of ['po  program order', 'rf  reads from', 'sw  synchronizes with']) assert.ok(file.includes(`>${line}</text>`), line);
      const [, top, wide, high] = /viewBox="0 (\S+) (\S+) (\S+)"/.exec(file).map(Number);
      const lowest = Math.max(...[...file.matchAll(/<text x="[^"]+" y="([^"]+)"/g)].map(([, y]) => Number(y)));
      assert.ok(lowest < top + high && wide > 0, 'nothing is cut off');
    }],
    ['in classroom view the graph can be read from the last row', async () => {
      await page.setViewportSize({width: 1920, height: 1080});
      await page.getByRole('button', {name: 'Classroom'}).click();
      await why('3-release-acquire');
      await fits();
      await eventually(async () => {
        const least = await page.evaluate(() => Math.min(...[...document.querySelectorAll('svg.graph text')].map(one =>
          parseFloat(getComputedStyle(one).fontSize) * one.ownerSVGElement.getScreenCTM().a)));
        assert.ok(least >= 18, `the smallest text has ${least} pixels`);
      });
      await shot('classroom-graph');
      await page.getByRole('button', {name: 'Classroom'}).click();
      await page.setViewportSize({width: 1280, height: 900});
    }],
    ['the words of a graph stand out against white and against a thread\'s grey', async () => {
      await why('3-no-acquire');
      const colours = await page.evaluate(() => [...new Set([...document.querySelectorAll('svg.graph text')].map(one => one.getAttribute('fill')))]);
      assert.ok(colours.length > 2);
      for (const colour of colours) for (const back of ['#ffffff', '#f3f5f8'])
        assert.ok(contrast(colour, back) >= 4.5, `${colour} on ${back}: ${contrast(colour, back).toFixed(1)}`);
    }],
    ['no backticks are left, and instructions are code', async () => {
      for (const name of ['3-no-acquire', '3-release-acquire', '7-not-handed-on']) {
        await why(name);
        assert.ok(!(await page.locator('section[aria-label="Why"]').textContent()).includes('`'), name);
        assert.ok(await page.locator('section[aria-label="Why"] .reason code').count() > 0, name);
      }
    }],
    ['what is forbidden has a row, and its nearest execution with the cycle in colour and a rule on each edge', async () => {
      await tab('Run');
      await open('3-release-acquire');
      await run();
      const row = page.locator('tr[data-outcome="P1:r0=1 P1:r1=0"]');
      assert.match(await row.textContent(), /asked.*forbidden/);
      await row.getByRole('button', {name: /Why never/}).click();
      const panel = page.locator('section[aria-label="Why"]');
      await panel.locator('g[data-cycle] path').first().waitFor();
      assert.match(await panel.getByLabel('Show').evaluate(one => one.selectedOptions[0].textContent), /^Forbidden: P1:r0=1 P1:r1=0, which the test asks for/);
      const edges = await panel.locator('g[data-cycle]').count();
      assert.ok(edges >= 2);
      assert.equal(await panel.locator('.cycle li').count(), edges, 'each edge is said');
      assert.deepEqual(await panel.locator('g[data-cycle] path').evaluateAll(all => [...new Set(all.map(one => one.getAttribute('stroke')))]), ['#c1121f']);
      for (const label of await panel.locator('g[data-cycle] text').allTextContents()) assert.match(label, /^\w+: \w+/, 'a relation and its rule');
      assert.ok(!(await panel.textContent()).includes('`'));
      await fits();
      await shot('forbidden');
      // What is not drawn at first is switched on: happens-before, and the way of a write.
      const more = await panel.locator('.legend input:not(:checked)').evaluateAll(all => all.map(one => one.dataset.group));
      assert.ok(more.some(one => /^hb/.test(one)) && more.includes('chain'), `${more}`);
      for (const group of more) await panel.locator(`[data-group="${group}"]`).check();
      await panel.locator('g[data-relation="hb"]').first().waitFor();
      await panel.locator('g[data-relation="chain"]').first().waitFor();
      await fits();
      await shot('relations');
    }],
    ['the heading says what is forbidden: as the test asks, so, or otherwise', async () => {
      const one = end => `Vulkan One\n{ x = 0; }\n P0@sg 0, wg 0, qf 0 | P1@sg 0, wg 1, qf 0 ;\n st.atom.dv.sc0 x, 1 | ld.atom.dv.sc0 r0, x ;\n  | ld.atom.dv.sc0 r1, x ;\n${end}\n`;
      const ends = {
        'exists (P1:r0 == 1 /\\ P1:r1 == 0)': 'Why no execution ends as the test asks',
        '~exists (P1:r0 == 1 /\\ P1:r1 == 0)': 'Why no execution ends so',
        'forall (P1:r0 == 0 \\/ P1:r1 == 1)': 'Why every execution ends so',
      };
      for (const [end, heading] of Object.entries(ends)) {
        await tab('Run');
        await write(one(end));
        await run();
        await tab('Why');
        await page.getByRole('heading', {name: heading, exact: true}).waitFor();
      }
    }],
  ];
};

await test(steps);
