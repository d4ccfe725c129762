// The TypeScript package, with the backend that SPOOR_ADDON chooses.
// Environment: SPOOR_PROGRAM, and SPOOR_ADDON or an installed package.
import assert from 'node:assert/strict';
import path from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { SpoorError, backend, open } from 'spoor';
import { all, fails, inChild, opened, place } from './support.mjs';

test('the backend is the one asked for', () => {
  assert.equal(backend.name, process.env.SPOOR_ADDON === 'off' ? 'batch' : 'addon');
  assert.equal(backend.reason === null, backend.name === 'addon');
});

test('a transaction is one operation, and its ids are known afterwards', async () => {
  const store = await opened();
  const turn = await store.transaction((t) => {
    const first = t.branch('main').user('hi');
    assert.throws(() => first.id, fails('invalid'));
    /** @type {any} */ (t.branch('other')).note('seen');
    return first;
  }).catch((error) => error);
  assert.ok(turn instanceof TypeError);  // note() is not a method: nothing was written.
  assert.deepEqual(await store.branches(), []);
  const [question, note] = await store.transaction(async (t) => [
    t.branch('main').user('hi'), await t.branch('other').append('note', 'seen')]);
  assert.equal(question.id, await store.tip());
  assert.equal(note.id, await store.tip('other'));
  const { operations } = await store.call('operations');
  assert.equal(operations.length, 1);
  await store.close();
});

test('a transaction that has ended takes nothing', async () => {
  const store = await opened();
  const branch = await store.transaction((t) => t.branch());
  assert.throws(() => branch.user('late'), fails('invalid'));
  await store.close();
});

test('a turn comes back as it was', async () => {
  const store = await opened({ author: 'ada' });
  const call = { id: 'c1', name: 'look', arguments: '{"at": "x"}' };
  const text = 'naïve \0 \u{1f600}\n';
  const branch = store.branch('main');
  await branch.user(text, { metadata: { n: [1, null] } });
  await branch.assistant('', [call]);
  await branch.tool('nothing', call, { isError: true, author: 'bot' });
  const [tool, answer, question] = await all(store.log());
  assert.equal(question.text, text);
  assert.deepEqual(question.metadata, { n: [1, null] });
  assert.deepEqual([question.author, tool.author], ['ada', 'bot']);
  assert.deepEqual(answer.toolCalls, [call]);
  assert.deepEqual([tool.callId, tool.name, tool.isError], ['c1', 'look', true]);
  assert.ok(tool.time && Math.abs(tool.time.getTime() - Date.now()) < 60_000);
  const shown = await store.show('main~2');
  assert.equal(shown.hash, question.id);
  assert.ok(shown.content);
  assert.equal((await store.content(shown.content.hash)).toString(), text);
  await store.close();
});

test('half a surrogate pair becomes U+FFFD', async () => {
  const store = await opened();
  await store.branch().user('\ud800!');
  const [turn] = await all(store.log());
  assert.equal(turn.text, '\ufffd!');
  await store.close();
});

test('what is no text is refused, and not taken for an empty one', async () => {
  const store = await opened();
  await store.branch().user('hi');
  const wrong = /** @type {any[]} */ ([5, null, {}, ['main'], true, new Date()]);
  for (const value of wrong) {
    const branch = store.branch();
    for (const done of [
      branch.user(value), branch.append(value, 'x'), branch.append('note', 'x', { callId: value ?? 5 }),
      branch.append('note', 'x', { isError: value === true ? 1 : value ?? 1 }), store.tip(value), store.resolve(value),
      store.show(value), store.compile(value), store.content(value), store.watch(value), open(value),
      all(store.log(value)), value === null ? store.branch('').user('x') : store.branch(value).user('x'),
    ]) await assert.rejects(done, fails('invalid'));
  }
  for (const hash of ['', 'main', 'ab'.repeat(31)]) await assert.rejects(store.content(hash), fails('invalid'));
  await assert.rejects(store.branch().append('undo', 'x'), fails('invalid'));
  await assert.rejects(store.compile('main', { window: 1.5 }), fails('invalid'));
  const half = /** @type {any} */ (await store.branch().tool('x', { id: '\ud800', name: '\ud800' }));
  assert.deepEqual((await all(store.log())).map((turn) => turn.callId), ['\ufffd', '']);
  assert.equal((await store.show(half.id)).name, '\ufffd');
  await store.close();
});

test('places of stores', async () => {
  const folder = path.dirname(place());
  await assert.rejects(open(folder, { create: true }), fails('invalid'));
  await assert.rejects(open(path.join(folder, 'none', 'x.spoor'), { create: true }),
    { code: 'not_found', hint: 'create the folder first' });
  await assert.rejects(open('/dev/null'), fails('invalid'));
  const here = process.cwd();
  process.chdir(folder);
  try {
    for (const name of ['-x.spoor', '--help']) await (await open(name, { create: true })).close();
  } finally {
    process.chdir(here);
  }
});

test('a call that is no JSON rejects, and the next answers are those of their calls', async () => {
  const store = await opened();
  const { id } = await store.branch().user('hi');
  await assert.rejects(store.call('log', { limit: /** @type {any} */ (5n) }), TypeError);
  await assert.rejects(store.branch().append('note', 'x', { metadata: { n: 5n } }), TypeError);
  assert.deepEqual(await Promise.all([store.tip(), store.branches(), store.resolve('main')]), [id, ['main'], id]);
  await store.close();
});

test('a long log is read in order, and may be left', async () => {
  const store = await opened();
  await store.transaction((t) => {
    for (let i = 0; i < 600; ++i) t.branch().user(String(i));
  });
  const texts = (await all(store.log())).map((turn) => turn.text);
  assert.deepEqual(texts, Array.from({ length: 600 }, (_, i) => String(599 - i)));
  for await (const turn of store.log('main~100')) {
    assert.equal(turn.text, '499');
    break;
  }
  await store.close();
});

test('writes take effect in the order of their calls', async () => {
  const store = await opened();
  const writes = Array.from({ length: 50 }, (_, i) =>
    i % 10 === 9 ? store.call('user', { text: String(i) }) : store.branch().user(String(i)));
  await Promise.all(writes);
  const texts = (await all(store.log())).map((turn) => Number(turn.text)).reverse();
  assert.deepEqual(texts, Array.from({ length: 50 }, (_, i) => i));
  await store.close();
});

test('close waits for the writes that were called before', async () => {
  const store = await opened();
  const write = store.branch().user('last');
  await store.close();
  const again = await open(store.where);
  assert.equal(await again.tip(), (await write).id);
  await again.close();
});

test('reasoning is in the prompt on request only', async () => {
  const store = await opened();
  await store.transaction((t) => {
    const b = t.branch();
    b.system('Be terse.');
    b.user('hi');
    b.reasoning('why');
    b.assistant('hello');
  });
  const prompt = await store.compile();
  assert.deepEqual(prompt.messages.map(({ role, text }) => [role, text]),
    [['system', 'Be terse.'], ['user', 'hi'], ['assistant', 'hello']]);
  assert.equal(prompt.leftOut[0]?.why, 'skip');
  assert.equal(prompt.hash, (await store.compile('main')).hash);
  const whole = await store.compile('main', { includeReasoning: true });
  assert.equal(whole.messages.length, 4);
  await store.branch().user('again');
  assert.deepEqual(await store.compile('main', { to: 'openai', window: 1 }),
    [{ role: 'system', content: 'Be terse.' }, { role: 'user', content: 'again' }]);
  const body = await store.compile('main', { to: 'anthropic' });
  assert.deepEqual(body.messages[1], { role: 'assistant', content: 'hello' });
  assert.match(await store.compile('main', { to: 'text' }), /hello/);
  await store.close();
});

test('an error has a code, a message and a hint', async () => {
  await assert.rejects(open(place()), fails('not_found'));
  await assert.rejects(open('/nonexistent/x.spoor', { create: true }), SpoorError);
  const store = await opened();
  await assert.rejects(store.tip('nosuch'), fails('not_found'));
  await assert.rejects(store.resolve('nosuch'), fails('not_found'));
  await assert.rejects(store.compile('nosuch'), fails('not_found'));
  await assert.rejects(all(store.log('nosuch')), fails('not_found'));
  await assert.rejects(store.content('00'.repeat(32)), fails('not_found'));
  await assert.rejects(store.branch().append('nosuch', 'x'), fails('invalid'));
  await assert.rejects(store.call('logg'), (error) =>
    error instanceof SpoorError && error.code === 'invalid' && error.hint === "did you mean 'log'?");
  assert.equal((await store.branch().user('goes on')).id, await store.tip());
  await store.close();
  await assert.rejects(store.tip(), fails('invalid'));
  await assert.rejects(store.close(), fails('invalid'));
});

test('watching sees this and other processes, and ends', async () => {
  const store = await opened();
  const moves = await store.watch('main', { timeout: 10_000 });
  const { id } = await store.branch('main').user('hi');
  assert.deepEqual((await moves.next()).value, { branch: 'main', turns: [id] });
  await store.branch('aside').user('not watched');
  await inChild(`const store = await open(process.argv[1]);
    await store.branch().user('from outside');
    await store.close();`, store.where);
  assert.deepEqual((await moves.next()).value, { branch: 'main', turns: [await store.tip()] });
  await moves.return();
  const leaving = new AbortController();
  const left = all(await store.watch('', { signal: leaving.signal }));
  leaving.abort();
  assert.deepEqual(await left, []);
  assert.deepEqual(await all(await store.watch('', { timeout: 0 })), []);
  await store.close();
});

test('two stores of one file write to one branch', async () => {
  const first = await opened();
  const second = await open(first.where);
  await Promise.all(Array.from({ length: 40 }, (_, i) =>
    (i % 2 ? first : second).branch().user(String(i))));
  assert.equal((await all(first.log())).length, 40);
  await Promise.all([first.close(), second.close()]);
});

test('a worker thread has the package, too', async () => {
  const where = place();
  const worker = new Worker(`
    import('spoor').then(async ({ open, SpoorError }) => {
      const store = await open(${JSON.stringify(where)}, { create: true });
      await store.branch().user('from a worker');
      const error = await store.tip('nosuch').catch((error) => error);
      await store.close();
      require('node:worker_threads').parentPort.postMessage(error instanceof SpoorError);
    });`, { eval: true });
  assert.equal(await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject)), true);
  const store = await open(where);
  const [turn] = await all(store.log());
  assert.equal(turn.text, 'from a worker');
  await store.close();
});

test('a store that is not closed does not keep the process', async () => {
  const where = place();
  const id = await inChild(`const store = await open(process.argv[1], { create: true });
    console.log((await store.branch().user('hi')).id);`, where);
  const store = await open(where);
  assert.equal(id, await store.tip());
  await store.close();
});

