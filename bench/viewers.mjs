// How long a person waits for the page of `spoor open`, and for Phoenix and Inspect View on the same session; prints a table.
// SPOOR_PROGRAM=build/dev/spoor SPOOR_PHOENIX=… SPOOR_EXPORTS=… node bench/viewers.mjs [TURNS...]
// SPOOR_PHOENIX and SPOOR_EXPORTS are Pythons that have arize-phoenix and inspect_ai (./dev interop makes them in build/interop);
// without one, its rows are missing. A number of turns that ends with `s` is for spoor alone. Playwright: `npm ci` in page/.
//
// The session is that of tests/browser. Phoenix gets it as OTLP with texts, Inspect as a log in its own format, .eval. Each page is
// opened in a new Chromium at the session, 1400 by 900, until its first turns can be read; then it is scrolled to places far
// apart, and the time is that of the last change of the document that follows within a second (a frame, if nothing changes).
import {spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {readdirSync, readFileSync} from 'node:fs';
import {mkdir} from 'node:fs/promises';
import {createServer} from 'node:net';
import {loadavg} from 'node:os';
import {join, resolve} from 'node:path';

import {launch} from '../tests/browser/browser.mjs';
import {longHome} from '../tests/browser/stores.mjs';

const kPatience = 60_000; // Until a page is taken for one that does not open.
const kWrites = 240_000; // Until Phoenix is asked for the spans that it has by then.
const kJumps = 15;

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const {port} = server.address();
  server.close();
  return port;
}

// The resident memory of a process and of those that it started, in MB.
function memory(pid) {
  const status = new Map();
  for (const each of readdirSync('/proc')) {
    if (!/^\d+$/.test(each)) continue;
    try {
      const text = readFileSync(`/proc/${each}/status`, 'utf8');
      status.set(Number(each), {parent: Number(/^PPid:\s*(\d+)/m.exec(text)[1]), size: Number(/^VmRSS:\s*(\d+)/m.exec(text)?.[1] ?? 0)});
    } catch { /* It has ended. */ }
  }
  const sum = (of) => (status.get(of)?.size ?? 0) + [...status].filter(([, each]) => each.parent === of).reduce((all, [child]) => all + sum(child), 0);
  return sum(pid) / 1024;
}

async function until(what, patience = kPatience) {
  for (const end = Date.now() + patience; Date.now() < end;) {
    const found = await what().catch(() => undefined);
    if (found) return found;
    await new Promise((done) => setTimeout(done, 250));
  }
  throw new Error('not in time');
}

// ---- The three ----

async function spoor(home) {
  const at = await home.open();
  return {server: home.servers.at(-1), address: `${at.base}/#${at.token}/session/1?at=0`, ready: 'article >> text=/make module/', close: async () => {}};
}

async function phoenix(home) {
  const port = await freePort();
  const folder = join(home.path, 'phoenix');
  await mkdir(folder);
  const server = spawn(process.env['SPOOR_PHOENIX'], ['-m', 'phoenix.server.main', 'serve'], {stdio: 'ignore', env: {...process.env, HOME: folder,
    PHOENIX_WORKING_DIR: folder, PHOENIX_HOST: '127.0.0.1', PHOENIX_PORT: String(port), PHOENIX_GRPC_PORT: String(await freePort()),
    PHOENIX_TELEMETRY_ENABLED: 'false'}});
  home.servers.push(server);
  const base = `http://127.0.0.1:${port}`;
  await until(async () => (await fetch(base + '/v1/projects')).ok, 120_000);
  const events = Number(home.spoor('export', '1', '--post', base, '--content').split(' ')[0].replaceAll(',', ''));
  const query = '{projects{edges{node{id recordCount spans(first:1){edges{node{trace{traceId}}}}}}}}';
  // It writes spans after it has answered.
  let project;
  await until(async () => {
    const answer = await (await fetch(base + '/graphql', {method: 'POST', headers: {'content-type': 'application/json'}, body: JSON.stringify({query})})).json();
    project = answer.data.projects.edges[0].node;
    return project.recordCount > events;
  }, kWrites).catch(() => undefined);
  const {traceId} = project.spans.edges[0].node.trace;
  return {server, address: `${base}/projects/${project.id}/traces/${traceId}`, ready: 'text=/execute_tool/', note: `${project.recordCount} of ${events + 1} spans were kept within ${kWrites / 1000} s`,
    close: async () => { server.kill('SIGTERM'); }};
}

async function inspect(home) {
  const python = process.env['SPOOR_EXPORTS'];
  const folder = join(home.path, 'logs');
  await mkdir(folder);
  home.spoor('export', '1', '--inspect', join(home.path, 'log.json'), '--include-reasoning');
  const script = 'import sys; from inspect_ai.log import read_eval_log, write_eval_log; write_eval_log(read_eval_log(sys.argv[1]), sys.argv[2])';
  const converted = spawnSync(python, ['-c', script, join(home.path, 'log.json'), join(folder, 'log.eval')], {encoding: 'utf8', timeout: 600_000});
  if (converted.status !== 0) throw new Error(`inspect_ai does not read the log: ${converted.stderr?.slice(-300)}`);
  const port = await freePort();
  const server = spawn(python, ['-m', 'inspect_ai', 'view', 'start', '--log-dir', folder, '--host', '127.0.0.1', '--port', String(port)],
    {stdio: 'ignore', env: {...process.env, HOME: folder}});
  home.servers.push(server);
  const base = `http://127.0.0.1:${port}`;
  await until(async () => (await fetch(base)).ok);
  const {samples} = JSON.parse(readFileSync(join(home.path, 'log.json'), 'utf8'));
  return {server, address: `${base}/#/logs/log.eval/samples/sample/${samples[0].id}/1/messages`, ready: 'text=/make module/', close: async () => { server.kill('SIGTERM'); }};
}

// ---- What is measured ----

// Scrolls the largest thing that scrolls to places far apart; milliseconds until the last change, sorted.
const jumps = (page) => page.evaluate(async (count) => {
  const inner = (root) => [...root.querySelectorAll('*')].flatMap((each) => [each, ...(each.shadowRoot ? inner(each.shadowRoot) : [])]);
  const box = inner(document).filter((each) => each.clientHeight > 200 && each.scrollHeight > each.clientHeight * 1.2 && /auto|scroll/.test(getComputedStyle(each).overflowY))
    .sort((a, b) => b.scrollHeight - a.scrollHeight)[0] ?? document.scrollingElement;
  const taken = [];
  let still = 0;  // Jumps after which nothing was drawn anew.
  let seed = 7;
  for (let i = 0; i < count; ++i) {
    seed = (seed * 48271) % 2147483647;
    const begun = performance.now();
    let last = 0;
    const observer = new MutationObserver(() => { last = performance.now(); });
    observer.observe(document.body, {childList: true, subtree: true, characterData: true});
    box.scrollTop = (seed / 2147483647) * (box.scrollHeight - box.clientHeight);
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    const frame = performance.now();
    while (performance.now() - Math.max(last, frame) < 250 && performance.now() - begun < 5000) await new Promise((done) => setTimeout(done, 10));
    observer.disconnect();
    taken.push(Math.max(last, frame) - begun);
    still += last === 0;
  }
  return {taken: taken.sort((a, b) => a - b), still};
}, kJumps);

async function measure(viewer) {
  const browser = await launch();
  try {
    const page = await browser.newPage({viewport: {width: 1400, height: 900}});
    const begun = performance.now();
    await page.goto(viewer.address, {timeout: kPatience});
    await page.locator(viewer.ready).first().waitFor({timeout: kPatience});
    const first = performance.now() - begun;
    await page.waitForTimeout(1500);
    const {taken, still} = await jumps(page);
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('HeapProfiler.collectGarbage');
    const {usedSize} = await devtools.send('Runtime.getHeapUsage');
    const {processInfo} = await (await browser.newBrowserCDPSession()).send('SystemInfo.getProcessInfo');
    const renderers = processInfo.filter((each) => each.type === 'renderer').map((each) => memory(each.id));
    if (process.env['SPOOR_SHOTS']) await page.screenshot({path: join(resolve(process.env['SPOOR_SHOTS']), `${viewer.name}-${viewer.turns}.png`)});
    return {first, still, median: taken[Math.floor(taken.length / 2)], most: taken.at(-1), heap: usedSize / 2 ** 20, page: Math.max(...renderers), server: memory(viewer.server.pid)};
  } finally {
    await browser.close();
  }
}

const names = {spoor: 'spoor', phoenix: 'Phoenix', inspect: 'Inspect View'};
const version = (python, name) => spawnSync(python, ['-c', `import importlib.metadata as m; print(m.version("${name}"))`], {encoding: 'utf8'}).stdout.trim();
const others = [process.env['SPOOR_PHOENIX'] && `Phoenix ${version(process.env['SPOOR_PHOENIX'], 'arize-phoenix')}`,
  process.env['SPOOR_EXPORTS'] && `Inspect ${version(process.env['SPOOR_EXPORTS'], 'inspect_ai')}`].filter(Boolean);
const rows = [];
const notes = [];
const loads = [];
for (const word of process.argv.slice(2).length ? process.argv.slice(2) : ['1000', '10000', '100000', '1000000s']) {
  const turns = parseInt(word, 10);
  const home = await longHome(turns);
  try {
    for (const [name, open] of Object.entries({spoor, phoenix, inspect})) {
      const python = {phoenix: 'SPOOR_PHOENIX', inspect: 'SPOOR_EXPORTS'}[name];
      if (python && (word.endsWith('s') || !process.env[python])) continue;
      let cells;
      let viewer;
      try {
        viewer = {...await open(home), name, turns};
        loads.push(loadavg()[0]);
        const found = await measure(viewer);
        cells = [found.first, found.median, found.most, found.server, found.page, found.heap].map((each) => each.toFixed(each < 10 ? 1 : 0));
        if (found.still) notes.push(`${names[name]}, ${turns.toLocaleString('en')} turns: ${found.still} of ${kJumps} jumps changed nothing in the document`);
        if (viewer.note) notes.push(`${names[name]}, ${turns.toLocaleString('en')} turns: ${viewer.note}`);
      } catch (problem) {
        cells = [`no: ${problem.name === 'TimeoutError' ? `nothing to read after ${kPatience / 1000} s` : problem.message.split('\n')[0].slice(0, 80)}`, '', '', viewer ? memory(viewer.server.pid).toFixed(0) : '', '', ''];
      }
      rows.push(`| ${names[name]} | ${turns.toLocaleString('en')} | ${cells.join(' | ')} |`);
      process.stderr.write(rows.at(-1) + '\n');
      await viewer?.close();
    }
  } finally {
    await home.remove();
  }
}
console.log(`${others.join(', ')}; load of the machine meanwhile, of two processors: ${Math.min(...loads).toFixed(1)} to ${Math.max(...loads).toFixed(1)}.\n`);
console.log('| | turns | first turns, ms | a jump, median, ms | most, ms | server, MB | page, MB | its heap, MB |\n| --- | --- | --- | --- | --- | --- | --- | --- |');
console.log(rows.join('\n'));
if (notes.length) console.log(`\n${notes.join('; ')}.`);
