// The clock and the scrubber of a store, and the ends of programs whose functions are being called.
// Environment: SPOOR_PROGRAM, and SPOOR_ADDON or an installed package.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { backend, open } from 'spoor';
import { all, answering, fails, inChild, opened, place, reply, serving } from './support.mjs';

if (backend.name === 'batch') {
  console.log('skipped: no clock, scrubber and runs in spoor batch');
  process.exit(0);
}

const MODEL = 'openai/gpt-5';

/** Collects the warnings of the package. */
function heard() {
  /** @type {string[]} */
  const warnings = [];
  const listen = (/** @type {Error} */ warning) => {
    if (warning.name === 'SpoorWarning') warnings.push(warning.message);
  };
  process.on('warning', listen);
  return { warnings, end: () => process.off('warning', listen) };
}

test('a clock and a scrubber', async () => {
  const at = new Date('2030-01-02T03:04:05.678Z');
  const slots = new Set();
  const store = await opened({
    clock: () => at,
    scrub: (slot, text) => {
      slots.add(slot);
      return text.replaceAll('s3cret', '[gone]');
    },
  });
  await store.branch().user('the word is s3cret', { metadata: { note: 's3cret' } });
  const [turn] = await all(store.log());
  assert.deepEqual([turn?.text, turn?.metadata, turn?.time], ['the word is [gone]', { note: '[gone]' }, at]);
  const result = await store.run({ goal: 'tell s3cret', model: MODEL, branch: 'run', ...answering(reply('I know s3cret.')) });
  assert.equal(result.stopped, 'goal_achieved');
  await store.close();
  assert.ok(!readFileSync(store.where).includes('s3cret'));
  for (const slot of ['text', 'fields', 'facts']) assert.ok(slots.has(slot), slot);
});

test('a scrubber that throws, or that returns no text, refuses the write', async () => {
  const { warnings, end } = heard();
  const wrong = /** @type {any[]} */ ([() => { throw new RangeError('not this'); }, async () => 'later', () => undefined]);
  for (const scrub of wrong) {
    const store = await opened({ scrub });
    await assert.rejects(store.branch().user('anything'), fails('denied'));
    await assert.rejects(store.tip(), fails('not_found'));
    await store.close();
  }
  await new Promise(setImmediate);
  end();
  assert.match(String(warnings[0]), /RangeError: not this/);
  assert.equal(warnings.length, wrong.length);
});

test('a clock that fails gives a warning and the year 1970', async () => {
  const { warnings, end } = heard();
  const store = await opened({ clock: () => new Date(NaN) });
  await store.branch().user('hi');
  const [turn] = await all(store.log());
  assert.equal(turn?.time?.getTime(), 0);
  await store.close();
  end();
  assert.match(String(warnings[0]), /the clock of a store failed/);
});

test('bytes that are not UTF-8 pass through the scrubber as they were', async () => {
  /** @type {string[]} */
  const texts = [];
  const store = await opened({ scrub: (_, text) => { texts.push(text); return text; } });
  const bytes = Buffer.from([0x89, 0x50, 0, 0xc3, 0xa9, 0xed, 0xa0, 0x80, 0xf0, 0x9f, 0x98, 0x80, 0xf0, 0x9f, 0xff, 0xe2]);
  const image = { media_type: 'image/png', base64: bytes.toString('base64') };
  await store.call('user', { text: 'look', attach: [image] });
  assert.ok(texts.includes('\udc89P\0é\udced\udca0\udc80\u{1f600}\udcf0\udc9f\udcff\udce2'), JSON.stringify(texts));
  const [attached] = (await store.show()).attach ?? [];
  assert.deepEqual(await store.content(String(attached?.hash)), bytes);
  await store.close();
});

test('a store that asks for redacted texts can be written with a scrubber', async () => {
  const where = place();
  await promisify(execFile)(String(process.env.SPOOR_PROGRAM), ['init', '--capture', 'redacted', where]);
  const without = await open(where);
  await assert.rejects(without.branch().user('hi'), fails('denied'));
  await without.close();
  const store = await open(where, { scrub: (_, text) => text });
  await store.branch().user('hi');
  assert.equal((await all(store.log())).length, 1);
  await store.close();
});

test('stores that ask this thread do not stop it', async () => {
  const scrub = (/** @type {string} */ _, /** @type {string} */ text) => {
    for (const until = performance.now() + 1; performance.now() < until;);
    return text;
  };
  const clock = () => new Date();
  const stores = [await opened({ scrub, clock })];
  const { where } = stores[0];
  for (let i = 0; i < 6; ++i) stores.push(await open(where, i % 2 ? { scrub, clock } : {}));  // More than the pool has threads.
  await stores[0].branch().user('first');
  await Promise.all(stores.map(async (store, i) => {
    for (let n = 0; n < 8; ++n) {
      const writes = [store.branch().user(`${i}`), store.branch(`b${i}`).user(`${n}`)];
      await Promise.all([store.tip(), store.resolve('main'), store.compile(), all(store.log()), ...writes]);
    }
  }));
  assert.equal((await all(stores[0].log())).length, 1 + 8 * stores.length);
  await Promise.all(stores.map((store) => store.close()));
});

test('a read that needs the clock gets its time', async () => {
  const store = await opened({ clock: () => new Date('2100-01-01') });
  const { id } = await store.branch().user('hi');
  await assert.rejects(store.resolve('main@{1 day ago}'), fails('not_found'));
  const later = await open(store.where, { clock: () => new Date('2100-01-03') });
  assert.equal(await later.resolve('main@{1 day ago}'), id);
  await Promise.all([store.close(), later.close()]);
});

test('a store with functions that is not closed does not keep the process', async () => {
  const printed = await inChild(`
    const store = await open(process.argv[1], { create: true, clock: () => new Date(0), scrub: (_, text) => text });
    console.log((await store.branch().user('hi')).id);`, place());
  assert.match(printed, /^[0-9a-f]{64}$/);
});

test('the functions of a store and of a run are collected after their end', async () => {
  const printed = await inChild(`
    import { setFlagsFromString } from 'node:v8';
    setFlagsFromString('--expose-gc');
    const gc = (await import('node:vm')).runInNewContext('gc');
    const held = [];
    const hold = (name) => {
      const value = { name };
      held.push(new WeakRef(value));
      return value;
    };
    // Functions of one scope would hold each other's values.
    const scrubber = (of) => (_, text) => text + of.name.slice(5);
    const sender = (of) => () => ({ status: 200, body: process.argv[2], of });
    const store = await open(process.argv[1], { create: true, scrub: scrubber(hold('store')) });
    await store.run({ goal: 'x', model: '${MODEL}', send: sender(hold('run')) });
    const collected = async (i) => {
      for (let n = 0; n < 50 && held[i].deref(); ++n) {
        await new Promise(setImmediate);
        gc();
      }
      return !held[i].deref();
    };
    console.log(await collected(1), !held[0].deref());
    await store.close();
    console.log(await collected(0));`, place(), reply('Done.'));
  assert.equal(printed, 'true false\ntrue');
});

/**
 * A script that runs an agent whose tool calls \`step\` and never answers.
 * @param {string} step
 */
const stuck = (step) => `
  const wait = { name: 'wait', description: 'Waits.', run: () => { ${step}; return new Promise(() => {}); } };
  const store = await open(where, { create: true });
  await store.run({ goal: 'x', model: '${MODEL}', tools: [wait], send: () => ({ status: 200, body: answer }) });`;

const fromArguments = 'const [where, answer] = process.argv.slice(-2);';

test('a process may end during a run', async () => {
  const where = place();
  const begun = performance.now();
  const ended = inChild(fromArguments + stuck('process.exit(7)'), where, reply('', { wait: {} }));
  await assert.rejects(ended, (error) => /** @type {any} */ (error).code === 7);
  assert.ok(performance.now() - begun < 15_000);
  const store = await open(where);
  const result = await store.resume({
    model: MODEL, tools: [{ name: 'wait', description: 'Waits.', run: () => 'x' }], ...answering(reply('Done.')) });
  assert.equal(result.answer, 'Done.');
  await store.close();
});

test('a process may end while texts are scrubbed', async () => {
  const ended = inChild(`
    const scrub = () => process.exit(7);
    for (let i = 0; i < 6; ++i) {
      const store = await open(process.argv[1] + i, { create: true, scrub });
      store.branch().user('x');
    }`, place());
  await assert.rejects(ended, (error) => /** @type {any} */ (error).code === 7);
});

test('a process may end during a request of the library', async () => {
  await serving([], async (url, requests) => {
    const ended = inChild(`
      process.on('SIGTERM', () => process.exit(7));
      const store = await open(process.argv[1], { create: true });
      await store.run({ goal: 'x', model: 'vllm/m', baseUrl: process.argv[2] });`, place(), url);
    const isSeven = assert.rejects(ended, (error) => /** @type {any} */ (error).code === 7);
    while (requests.length === 0) await sleep(10);
    const begun = performance.now();
    ended.child.kill();
    await isSeven;
    assert.ok(performance.now() - begun < 4000);  // Less than the addon waits for a run.
  });
});

/**
 * Starts a worker, terminates it after its first message, and returns how long that took.
 * @param {string} script
 * @param {string[]} argv
 */
async function terminated(script, ...argv) {
  const worker = new Worker(`
    const tell = () => require('node:worker_threads').parentPort.postMessage('');
    import('spoor').then(async ({ open }) => { ${fromArguments} ${script} });`, { eval: true, argv });
  await once(worker, 'message');
  const begun = performance.now();
  await worker.terminate();
  return performance.now() - begun;
}

test('a worker may be terminated during a run', async () => {
  const where = place();
  const took = await terminated(stuck('tell()'), where, reply('', { wait: {} }));
  assert.ok(took < 15_000, `${took} ms`);
  const store = await open(where);
  assert.ok((await all(store.log())).length > 0);
  await store.close();
});

test('a worker may be terminated while a text is scrubbed', async () => {
  const where = place();
  const took = await terminated(`
    const scrub = () => { tell(); for (;;); };
    const store = await open(where, { create: true, scrub });
    for (let i = 0; i < 20; ++i) store.branch().user('x').catch(() => {});`, where, '');
  assert.ok(took < 15_000, `${took} ms`);
  const store = await open(where);
  await assert.rejects(store.tip(), fails('not_found'));
  await store.close();
});
