// What the tests of pages run in: Chromium, by Playwright. Ends the program with a message where either is missing.
import {existsSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join} from 'node:path';

import {kTree} from './stores.mjs';

// Finds the packages of page/package-lock.json.
export const require = createRequire(join(kTree, 'page/package.json'));

function load() {
  try {
    return require('playwright-core').chromium;
  } catch {
    console.log("skipped: page/node_modules is missing ('npm ci' in page/ makes it)");
    process.exit(0);
  }
}
const chromium = load();
const kBrowser = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
if (!kBrowser) {
  console.log('skipped: there is no chromium here');
  process.exit(0);
}

// With scroll bars, as people have them.
export const launch = (...options) => chromium.launch(
  {executablePath: kBrowser, args: ['--no-sandbox', '--disable-gpu', ...options], ignoreDefaultArgs: ['--hide-scrollbars']});
