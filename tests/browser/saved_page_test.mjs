// The file that `spoor export --page` writes, in Chromium from file://: the same answers as `spoor
// batch`, its views, hostile texts, no network, and all texts where scripts are off. Usage:
// SPOOR_PROGRAM=build/dev/spoor node saved_page_test.mjs [FOLDER]
// Screenshots go to FOLDER, if given.
import assert from 'node:assert/strict';
import {createHash} from 'node:crypto';
import {mkdir, mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {after, before, describe, test} from 'node:test';
import {pathToFileURL} from 'node:url';
import {gunzipSync} from 'node:zlib';

import {launch, require} from './browser.mjs';
import {agentHome, hostileHome, kTree, payloads, sampleHome} from './stores.mjs';

const axe = await readFile(require.resolve('axe-core/axe.min.js'), 'utf8');
const esbuild = require('esbuild');
const kShots = process.argv[2] ? resolve(process.argv[2]) : null;
if (kShots) await mkdir(kShots, {recursive: true});

let browser, folder, Saved;
before(async () => {
  browser = await launch();
  folder = await mkdtemp(join(tmpdir(), 'spoor-saved-'));
  await esbuild.build({entryPoints: [join(kTree, 'page/src/saved.ts')], bundle: true, format: 'esm', outfile: join(folder, 'saved.mjs'), logLevel: 'error'});
  ({Saved} = await import(pathToFileURL(join(folder, 'saved.mjs'))));
});
after(async () => {
  await browser.close();
  await rm(folder, {recursive: true, force: true});
});

const dataOf = (html) => JSON.parse(gunzipSync(Buffer.from(/<script type="application\/gzip" id="saved">([^<]*)</.exec(html)[1], 'base64')));

// The file in a window. It may ask for nothing at all.
async function show(file, route = '', {width = 1280, dark = false, scripts = true} = {}) {
  const context = await browser.newContext({viewport: {width, height: 850}, colorScheme: dark ? 'dark' : 'light', timezoneId: 'UTC', javaScriptEnabled: scripts});
  const page = await context.newPage();
  const strays = [];
  const complaints = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(pathToFileURL(file).href) && !/^(blob:|data:,$)/.test(request.url())) strays.push(request.url());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) complaints.push(message.text()); });
  page.on('dialog', (dialog) => { complaints.push('dialog ' + dialog.message()); void dialog.dismiss(); });
  if (scripts) {
    await page.addInitScript(() => addEventListener('securitypolicyviolation', (event) => { (window.__violations ??= []).push(event.violatedDirective + ' ' + event.blockedURI); }));
  }
  await page.goto(pathToFileURL(file).href + (route ? '#' + route : ''));
  page.done = async (allowed = /^$/) => {
    assert.deepEqual(strays, []);
    assert.deepEqual(complaints.filter((each) => !allowed.test(each)), []);
    await context.close();
  };
  return page;
}

async function until(page, test) {
  for (const end = Date.now() + 8000; Date.now() < end;) {
    if (await page.evaluate(test)) return;
    await new Promise((done) => setTimeout(done, 10));
  }
  throw new Error(`not true in time: ${test}`);
}

async function accessible(page, name) {
  const session = await page.context().newCDPSession(page);
  await session.send('Runtime.evaluate', {expression: axe});
  const {violations} = await page.evaluate(() => window.axe.run(document, {resultTypes: ['violations']}));
  assert.deepEqual(violations.map((each) => `${name} ${each.id}: ${each.nodes.map((node) => node.target.join(' ')).slice(0, 3).join('; ')}`), []);
}

// Every turn's record, prompt and diff are those that the store answers.
async function answersAlike(home, file, revision) {
  const saved = new Saved(dataOf(await readFile(file, 'utf8')));
  const batch = home.batch();
  const both = async (op, members, pick = (answer) => answer) => assert.deepEqual(
    pick(saved.answer(op, members)), pick(await batch.ask(op, members)), `${op} ${JSON.stringify(members)}`);
  await both('lines', {revision: [revision]});
  const {lines} = await batch.ask('lines', {revision: [revision]});
  let turns = 0;
  for (const line of lines) {
    await both('timeline', {revision: line.head, buckets: 1200});
    await both('requests', {revision: line.head, brief: true});
    await both('turns', {revision: line.head, from: 0, limit: 50, chars: 100_000_000});
    let last = null;
    for (const turn of (await batch.ask('turns', {revision: line.head, from: 0, limit: 10_000, chars: 1})).turns) {
      await both('show', {rev: turn.commit});
      await both('compile', {rev: turn.commit});
      await both('compile', {rev: turn.commit, last: 3}, ({left_out, ...rest}) => rest);
      if (last) {
        await both('diff', {from: last, to: turn.commit}, ({added, removed, changed, unchanged, token_delta}) => ({added, removed, changed, unchanged, token_delta}));
        await both('diff', {from: last, to: turn.commit}, ({messages}) => messages.map((each) => [each.change, each.before?.hash, each.after?.text]));
      }
      if (turns % 7 === 0) last = turn.commit;
      ++turns;
    }
  }
  await batch.end();
  return turns;
}

describe('the sample session', () => {
  let home, file, number;
  before(async () => {
    home = await sampleHome();
    number = home.json('sessions').sessions.find((each) => each.agent === 'claude-code').number;
    file = join(home.path, 'page.html');
    home.spoor('export', String(number), '--page', '-o', file);
  });
  after(() => home.remove());

  test('each answer is the one of the store', async () => {
    assert.ok(await answersAlike(home, file, String(number)) > 60);
    const saved = new Saved(dataOf(await readFile(file, 'utf8')));
    const edits = home.json('file', 'shop/cart.py', '--session', String(number)).edits;
    const picked = ({number: of, path, diff, why, request, result, time, tool}) => ({of, path, diff, why, request, result, time, tool});
    assert.deepEqual(saved.answer('file', {path: 'shop/cart.py'}).edits.map(picked), edits.map(picked));
    const batch = home.batch();
    const alike = async (op, members, pick) => assert.deepEqual(pick(saved.answer(op, members)), pick(await batch.ask(op, members)), `${op} ${JSON.stringify(members)}`);
    for (const members of [{}, {failed: true}, {tool: ['bash']}, {match: '(?i)UNITTEST'}, {match: 'unit\\.test'}, {limit: 3}]) {
      await alike('calls', {session: [String(number)], brief: true, ...members}, ({calls}) => calls.map(({session, project, ...rest}) => rest));
    }
    for (const by of ['cost', 'output', 'prompt', 'duration', 'time']) {
      await alike('answers', {revision: String(number), by, limit: 100}, ({answers}) => answers.map(({text, ...rest}) => rest));
    }
    await batch.end();
    assert.throws(() => saved.answer('edit', {}), /only reads/);
    assert.throws(() => saved.answer('show', {rev: 'main~9999'}), /not in this page/);
  });

  test('the views work without a server, and nothing is asked of anyone', async () => {
    const page = await show(file);
    await page.locator('article').first().waitFor();
    assert.match(page.url(), new RegExp(`#/session/${number}$`));
    await page.keyboard.press('f');
    await page.locator('article.active.has-failed').waitFor();
    await page.locator('nav.chapters li').first().waitFor();
    assert.equal(await page.locator('nav.chapters li').count(), 2);
    await page.keyboard.press('p');
    await page.locator('.inspector section.message').first().waitFor();
    for (const tab of ['changes', 'left out', 'record', 'prompt']) await page.locator('.inspector .switch button', {hasText: tab}).click();
    await page.locator('.inspector section.message').first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('largest remainder');
    await page.keyboard.press('Enter');
    await page.locator('[role=status]', {hasText: '1/1'}).waitFor();
    await page.reload();
    await page.locator('article').first().waitFor();
    await page.keyboard.press('t');
    await page.locator('a.call-row').first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('unittest');
    await until(page, () => document.querySelectorAll('a.call-row').length === 3);
    await page.keyboard.press('Enter');
    await page.locator('article.active', {hasText: 'Ran 5 tests'}).waitFor();
    await page.done();
  });

  const views = () => ({
    session: [`/session/${number}?at=12`, 'article.active'], prompt: [`/session/${number}?at=25&prompt=1`, '.inspector section.message'],
    graph: [`/graph/${number}`, 'rect.node.edit'], file: ['/file/shop/cart.py', 'ol.edits li'], search: ['/search?q=receipt', '.hits li'], sessions: ['/sessions', 'a.row'],
    compare: ['/compare?a=claude-code/5b0e6c1a-2&b=claude-code/5b0e6c1a', '.decisions li'],
    calls: [`/calls/${number}`, 'a.call-row.has-failed'], 'calls-files': [`/calls/${number}?as=files`, 'a.of-file'], answers: [`/calls/${number}?as=answers`, 'a.of-answer'],
    'compare-prompt': ['/compare?a=claude-code/5b0e6c1a-2&b=claude-code/5b0e6c1a&as=prompt', 'section.change'],
    'compare-sides': ['/compare?a=claude-code/5b0e6c1a-2&b=claude-code/5b0e6c1a&as=side+by+side', '.sides article'],
  });

  test('a screen reader finds nothing wrong (axe), and nothing is wider than the window', async () => {
    for (const [name, [route, ready]] of Object.entries(views())) {
      for (const width of [360, 800, 1280]) {
        for (const dark of [false, true]) {
          const page = await show(file, route, {width, dark});
          await page.locator(ready).first().waitFor();
          await page.waitForTimeout(250);
          if (kShots) await page.screenshot({path: join(kShots, `saved-${name}-${width}-${dark ? 'dark' : 'light'}.png`)});
          assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= width, `${name} at ${width}`);
          await accessible(page, `${name} ${width} ${dark}`);
          await page.done(/Trusted|policy|inline style/);
        }
      }
    }
  });

  // axe is a script, so it looks at the same text outside of its <noscript>.
  test('a screen reader finds nothing wrong with the text', async () => {
    const text = join(home.path, 'text.html');
    await writeFile(text, (await readFile(file, 'utf8')).replace(/<script type=[^]*<\/script>/, '').replace('<noscript>', '<div>').replace('</noscript>', '</div>'));
    for (const width of [360, 800, 1280]) {
      for (const dark of [false, true]) {
        const page = await show(text, '', {width, dark});
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= width, `text at ${width}`);
        if (kShots) await page.screenshot({path: join(kShots, `saved-text-${width}-${dark ? 'dark' : 'light'}.png`)});
        await accessible(page, `text ${width} ${dark}`);
        await page.done();
      }
    }
  });

  test('with scripts off each text is there', async () => {
    const page = await show(file, '', {scripts: false});
    const text = await page.locator('main.saved').textContent();
    for (const turn of home.json('turns', String(number), '--limit', '1000').turns) assert.ok(text.includes(turn.text.slice(0, 200)), turn.text);
    assert.equal(await page.locator('main.saved h1').count(), home.json('lines', String(number)).lines.length);
    await page.done();
  });

  test('a picture is in the file', async () => {
    const picture = join(home.path, 'picture.html');
    home.spoor('export', 'picture', '--page', '-o', picture);
    const page = await show(picture);
    await page.locator('.pictures img').waitFor();
    assert.equal(await page.locator('.pictures img').evaluate(async (img) => { await img.decode(); return img.naturalWidth; }), 10);
    await page.done();
  });

  test('a secret is in no part of a redacted file', async () => {
    const noise = createHash('sha512').update('spoor').digest('base64url') + createHash('sha512').update('page').digest('base64url');
    const secret = `sk-ant-api03-${noise.replace(/[-_]/g, 'k').slice(0, 93)}AA`;
    await writeFile(join(home.path, 'key.jsonl'), JSON.stringify({messages: [{role: 'user', content: `Use ${secret} for it.\n`.repeat(200)}, {role: 'assistant', content: 'Done.'}]}) + '\n');
    home.spoor('import', 'key.jsonl');
    const of = String(home.json('sessions').sessions.find((each) => each.title.startsWith('Use ')).number);
    home.spoor('export', of, '--page', '--redact', '-o', 'red.html');
    const html = await readFile(join(home.path, 'red.html'), 'utf8');
    for (const part of [html, JSON.stringify(dataOf(html))]) {
      assert.ok(!part.includes(secret.slice(0, 24)), part.slice(Math.max(0, part.indexOf(secret.slice(0, 24)) - 200)).slice(0, 260));
      assert.ok(part.includes('Done.'));
    }
  });
});

test('what a sub-agent did is in the file', async () => {
  const home = await agentHome();
  try {
    const file = join(home.path, 'agent.html');
    home.spoor('export', '1', '--page', '-o', file);
    await answersAlike(home, file, '1');
    const page = await show(file);
    await page.locator('details.agent summary').click({position: {x: 10, y: 8}});
    await page.locator('details.agent article', {hasText: 'One caller: cart.py, line 13.'}).waitFor();
    await page.done();
  } finally {
    await home.remove();
  }
});

test('no hostile text is executed, leaves its place or asks anyone', async () => {
  const texts = payloads(300);
  const home = await hostileHome(texts);
  try {
    const file = join(home.path, 'hostile.html');
    home.spoor('export', 'hostile', '--page', '-o', file);
    const clean = async (page) => {
      const state = await page.evaluate(() => ({owned: window.__owned, violations: window.__violations ?? [],
        elements: [...document.querySelectorAll('iframe, object, embed, base, img[onerror], link:not([href="data:,"]), form[action], [onerror], [onload], [onclick], [onfocus], a[href^="javascript"], a[href^="data"]')].map((each) => each.outerHTML.slice(0, 100)),
        scripts: document.querySelectorAll('script').length, policies: document.querySelectorAll('meta[http-equiv]').length}));
      assert.deepEqual(state, {owned: undefined, violations: [], elements: [], scripts: 2, policies: 1});
    };
    const page = await show(file);
    await page.locator('article').first().waitFor();
    await page.keyboard.press('e');
    const {length} = home.json('lines', 'hostile').lines[0];
    for (let at = 0; at < length; at += 12) {
      await page.evaluate((to) => {
        const box = document.querySelector('main.turns');
        box.scrollTop = box.scrollHeight * to;
      }, at / length);
      await page.waitForTimeout(15);
    }
    await clean(page);
    for (const position of [1, 5, 60, 700, length - 1]) {
      await page.evaluate((to) => { location.hash = `#/session/hostile?at=${to}&prompt=1`; location.reload(); }, position);
      await page.locator('.inspector .facts code').waitFor();
      for (const tab of ['changes', 'left out', 'record', 'prompt']) {
        await page.locator('.inspector .switch button', {hasText: tab}).click();
        await page.waitForTimeout(80);
        await clean(page);
      }
    }
    for (const route of ['/sessions', '/graph/hostile', '/compare?a=hostile~40&b=hostile&as=prompt', '/search?q=owned', '/calls/hostile?q=script', '/calls/hostile?as=files', '/calls/hostile?as=answers', '/file/.txt', '/session/<img src=x onerror=window.__owned=1>']) {
      await page.evaluate((to) => { location.hash = to; location.reload(); }, route);
      await page.waitForTimeout(300);
      await clean(page);
    }
    await page.done(/not a picture|ERR_/);
    const off = await show(file, '', {scripts: false});
    const text = await off.locator('main.saved').textContent();
    assert.equal(await off.locator('main.saved script, main.saved img, main.saved a, main.saved iframe, main.saved form, main.saved svg').count(), 0);
    for (const each of texts) {
      if (!/[\u0000-\u001f\u007f-\u009f\u200b-\u202f]/.test(each)) assert.ok(text.includes(each), each);
    }
    await off.done();
  } finally {
    await home.remove();
  }
});
