// Twenty questions of someone whose agents have worked, each answered in the page by keys and clicks; writes the table of docs/page.md.
// Usage: SPOOR_PROGRAM=build/dev/spoor node questions.mjs [--page]
// The sessions are those of examples/data. Each question begins at the list of sessions, and ends when the answer can be read: a
// text that must be there. A key, a click, and a word that is typed count as one step each; the seconds are those of the page, from
// the first step on, without those of the reader. The command of the terminal beside it must print the answer as well.
import assert from 'node:assert/strict';
import {readFile, writeFile} from 'node:fs/promises';
import {loadavg} from 'node:os';
import {join} from 'node:path';

import {launch} from './browser.mjs';
import {Home, kTree} from './stores.mjs';


const home = await Home.make();
const browser = await launch();
for (const name of ['sample', 'second']) home.spoor('import', join(kTree, `examples/data/${name}-session.jsonl`));
home.spoor('skip', '61da5265', 'no longer so');
const n = home.json('sessions').sessions.find((each) => each.title.startsWith('Receipt and cart')).number;
const at = await home.open('--write');
const context = await browser.newContext({viewport: {width: 1400, height: 900}, timezoneId: 'UTC', locale: 'en-US'});
const page = await context.newPage();
page.setDefaultTimeout(10_000);

let steps = 0;
const key = async (...keys) => { for (const each of keys) { ++steps; await page.keyboard.press(each); } };
const type = async (text) => { ++steps; await page.keyboard.type(text); };
const click = async (what, filter) => { ++steps; await page.locator(what, filter).first().click(); };
const choose = async (what, value) => { steps += 2; await page.locator(what).selectOption(value); };
const see = (what, hasText) => page.locator(what, {hasText}).first().waitFor();
// The page takes keys from the frame after the one with its first rows.
const open = async () => { await click('a.row', {hasText: 'Receipt and cart'}); await page.locator('article').first().waitFor(); await page.waitForTimeout(60); };

// The question; how the page answers it; the command, and what it prints. Without a way in the page, why not.
const questions = [
  ['What did my agents do lately?', async () => { await see('a.row', 'Receipt and cart'); await see('a.row', 'Receipt rounds'); }, ['sessions'], /Receipt and cart/],
  ['Which session was about the coupon?', async () => { await key('/'); await type('largest remainder'); await key('Enter'); await see('.hits li', 'largest remainder'); }, ['search', 'largest remainder'], /largest remainder/],
  ['What was asked for in this session?', async () => { await open(); await see('nav.chapters li', 'Order 1042'); await see('nav.chapters li', 'Thanks'); }, ['requests', `${n}`], /Order 1042/],
  ['What was the outcome?', async () => { await open(); await key('G'); await see('article', 'all five tests pass'); }, ['show', '--text', '07c77991'], /five tests pass/],
  ['Where did it go wrong?', async () => { await open(); await see('section.about', 'failed 1'); await key('g', 'g', 'f'); await see('article.active.has-failed', 'AssertionError: 11.73'); }, ['calls', '--failed'], /failed \(exit 1\)/],
  ['Why did it do this edit?', async () => { await open(); await key('/'); await type('largest remainder'); await key('Enter'); await see('article.active', 'Rounding rows one by one'); }, ['file', 'shop/cart.py'], /Rounding rows one by one/],
  ['What did it change in this file?', async () => { await open(); await key('G'); await click('article a.target, article .path a', {hasText: 'cart.py'}); await see('ol.edits li', 'largest remainder'); }, ['file', 'shop/cart.py'], /largest remainder/],
  ['Which commands did it run?', async () => { await open(); await key('t'); await page.locator('a.call-row').first().waitFor(); await choose('select[aria-label=tool]', 'Bash'); await see('[role=status]', '4 calls'); await see('a.call-row', 'python3 -m unittest -q'); }, ['calls', `${n}`, '--tool', 'Bash'], /unittest/],
  ['How did the tests end?', async () => { await open(); await key('/'); await type('Ran 5 tests'); await key('Enter'); await see('article.active', 'Ran 5 tests'); }, ['search', 'Ran 5 tests'], /Ran 5 tests/],
  ['What did it cost?', async () => { await see('a.row', '≥$0.17'); }, ['sessions'], /≥\$0\.17/],
  ['What did each model cost, each day?', async () => { await see('main', 'claude-sonnet-4-5 $0.17'); }, ['cost', '--by', 'day', '--by', 'model'], /claude-sonnet/, 'sums are written, a day is a bar'],
  ['Which answer was the dearest?', async () => { await open(); await key('t'); await page.locator('a.call-row').first().waitFor(); await key('3'); await see('li:first-child > a.of-answer', '$0.06'); }, ['answers', `${n}`, '--by', 'cost'], /^\S+ +\$0\.06/],
  ['How much came from a cache?', async () => { await open(); await see('article', '% cached'); }, ['cost'], /cache read/],
  ['Where did the time go?', async () => { await open(); await see('main, section', 'model 1.2 min'); await see('main, section', 'tools 34 s'); }, ['timeline', `${n}`], /model/],
  ['What exactly had it been sent at this turn?', async () => { await open(); await see('section.about', 'failed 1'); await key('g', 'g', 'f', 'p'); await see('.inspector .facts', 'turn 14'); await see('.inspector section.message', 'Order 1042'); }, ['compile', 'a030b0b2'], /Order 1042/],
  ['What was left out of the prompt, and why?', async () => { await open(); await key('G', 'p'); await click('.inspector button', {hasText: 'left out'}); await see('.inspector', '61da5265'); }, ['pprint', '--all', `${n}`], /left out: skip/],
  ['What changed in the prompt since the request before?', async () => { await open(); await key('G', 'p'); await click('.inspector button', {hasText: 'changes'}); await page.locator('.inspector section.change').first().waitFor(); }, ['diff', '909c641e', '2962408f'], /Ran 4 tests/],
  ['How do two attempts differ?', async () => { await open(); await key('b'); await page.locator('.names li').first().waitFor(); await key('m', 'j', 'm'); await click('a.button', {hasText: 'compare'}); await page.locator('ol.decisions li').first().waitFor(); }, ['compare', 'claude-code/5b0e6c1a-2', 'claude-code/5b0e6c1a'], /5 added/],
  ['Which turn wrote this line?', async () => { await open(); await key('G'); await click('article a.target, article .path a', {hasText: 'cart.py'}); await page.locator('ol.edits li').first().waitFor(); await key('2'); await see('.blame .group', 'def cents(self)'); }, ['blame', '--recorded', 'shop/cart.py'], /def cents/, 'as the last recorded edit left it; with `spoor open` in its folder, as it is'],
  ['What would it have done without this turn, or with another text?', async () => { await open(); await key('g', 'g', 'p'); await click('.inspector button', {hasText: 'record'}); await click('.acts button', {hasText: 'fork here'}); await page.waitForURL(/session\/fork/); await page.locator('article').first().waitFor(); }, ['fork', 'c62b0c8e', '--model', `scripted/${join(kTree, 'examples/data/replies.jsonl')}`], /Three tea tins/,
    'makes the branch; a model answers on it from the terminal: `spoor fork`'],
];

const rows = [];
const loads = [];
try {
  for (const [question, answer, command, printed, note] of questions) {
    let cells = ['no', ''];
    if (answer) {
      await page.goto('about:blank');
      await page.goto(`${at.base}/#${at.token}/sessions`);
      await page.locator('a.row').first().waitFor();
      await page.waitForTimeout(200);
      steps = 0;
      const begun = performance.now();
      try {
        await answer();
      } catch (problem) {
        console.log(`FAILED: ${question}: ${String(problem).slice(0, 300)}`);
        process.exitCode = 1;
        continue;
      }
      cells = [String(steps), ((performance.now() - begun) / 1000).toFixed(1)];
      loads.push(loadavg()[0]);
    }
    if (printed) try {
      assert.match(home.spoor(...command), printed);
    } catch (problem) {
      console.log(`FAILED: spoor ${command.join(' ')}: ${String(problem).slice(0, 300)}`);
      process.exitCode = 1;
    }
    const quoted = command.map((word) => (/[^\w./~-]/.test(word) ? `'${word}'` : word)).join(' ').replace(kTree + '/', '');
    rows.push(`| ${question} | ${cells.join(' | ')} | \`spoor ${quoted}\` | ${note ?? ''} |`);
    console.log(rows.at(-1));
  }
} finally {
  await browser.close();
  await home.remove();
}
if (process.argv.includes('--page') && !process.exitCode) {
  const path = join(kTree, 'docs/page.md');
  const table = `Load of the machine meanwhile, of two processors: ${Math.max(...loads).toFixed(1)} at most.\n\n` +
    '| question | steps | seconds | in the terminal | |\n| --- | --- | --- | --- | --- |\n' + rows.join('\n') + '\n';
  const text = await readFile(path, 'utf8');
  await writeFile(path, text.replace(/(<!-- questions -->\n)[^]*?(<!-- end -->)/, (_, begin, end) => begin + table + end));
}
