// The pictures of the page in README.md: SPOOR_PROGRAM=build/dev/spoor node pictures.mjs FOLDER
// tests/docs/picture_test.py runs it. The sessions are those of examples/data; the clock stands still.
import {join, resolve} from 'node:path';

import {launch} from './browser.mjs';
import {Home, kTree} from './stores.mjs';

const kNow = '2026-03-16T00:00:00Z';
const [a, b] = ['claude-code/5b0e6c1a-2', 'claude-code/5b0e6c1a'];

const kFolder = resolve(process.argv[2]);

const home = await Home.make();
const browser = await launch('--font-render-hinting=none', '--hide-scrollbars');
try {
  for (const name of ['sample', 'second']) home.spoor('import', join(kTree, `examples/data/${name}-session.jsonl`));
  home.spoor('skip', '61da5265', 'no longer so');
  const {number} = home.json('sessions').sessions.find((each) => each.title.startsWith('Receipt and cart'));
  const at = await home.open();
  const context = await browser.newContext({colorScheme: 'light', timezoneId: 'UTC', locale: 'en-US',
    reducedMotion: 'reduce'});
  const page = await context.newPage();
  await page.clock.setFixedTime(kNow);

  // Each view's height, its address, an element that is there once it is complete, and what is done before the picture is taken.
  const views = {
    sessions: [360, '/', 'svg[role=img] rect', async () => {}],
    session: [640, `/session/${number}?at=14`, 'article.active.has-failed', async () => {}],
    prompt: [600, `/session/${number}?at=39&prompt=1`, '.inspector .sheet:not(.stale) section.message', async () => {
      await page.locator('.inspector button', {hasText: 'left out'}).click();
      await page.locator('.inspector h2', {hasText: 'skip'}).waitFor();
    }],
    compare: [300, `/compare?a=${a}&b=${b}`, 'ol.decisions li', async () => {}],
  };
  for (const [name, [height, route, ready, act]] of Object.entries(views)) {
    await page.setViewportSize({width: 1280, height});
    await page.goto('about:blank');
    await page.goto(`${at.base}/#${at.token}${route}`);
    await page.locator(ready).first().waitFor();
    await act();
    await page.mouse.move(0, 0);
    await page.waitForTimeout(500);
    await page.screenshot({path: join(kFolder, `${name}.png`), animations: 'disabled', caret: 'hide'});
  }
  console.log(`${Object.keys(views).length} pictures of the page`);
} finally {
  await browser.close();
  await home.remove();
}
