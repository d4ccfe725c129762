// Agents with functions of the program, with the backend that SPOOR_ADDON chooses: `spoor batch` has none.
// Environment: SPOOR_PROGRAM, and SPOOR_ADDON or an installed package.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { SpoorError, backend, open } from 'spoor';
import { all, answering, fails, opened, place, reply, scripted, serving } from './support.mjs';

const MODEL = 'openai/gpt-5';
const TEXT = { type: 'string' };
/** @type {import('spoor').Tool} */
const look = {
  name: 'look', description: 'Shows a file.',
  parameters: { type: 'object', properties: { path: TEXT, lines: { type: 'integer' } }, required: ['path'] },
  run: ({ path, lines }) => ({ path, lines: lines ?? null }),
};

/**
 * Returns a tool without arguments.
 * @param {string} name
 * @param {() => unknown} run
 * @returns {import('spoor').Tool}
 */
const plain = (name, run) => ({ name, description: 'Does it.', run });

/** Returns a promise and its functions. */
function pending() {
  /** @type {(value?: unknown) => void} */
  let resolve = () => {};
  const promise = new Promise((settle) => resolve = settle);
  return { promise, resolve };
}

const never = () => new Promise(() => {});

const needsAddon = { skip: backend.name === 'batch' && 'spoor batch has no runs' };

test('without the addon, runs are refused', { skip: backend.name === 'addon' }, async () => {
  const store = await opened();
  for (const refused of [store.run({ goal: 'x', model: MODEL }), store.resume({ model: MODEL })]) {
    await assert.rejects(refused, (error) =>
      error instanceof SpoorError && error.code === 'unavailable' && error.hint !== '');
  }
  await assert.rejects(open(place(), { create: true, clock: () => new Date() }), fails('unavailable'));
  await assert.rejects(open(place(), { create: true, scrub: (_, text) => text }), fails('unavailable'));
  await store.close();
});

test('a call and an answer', needsAddon, async () => {
  const store = await opened();
  const provider = scripted(reply('', { look: { path: 'a.txt' } }), reply('It is a file.'));
  /** @type {string[]} */
  const events = [];
  const result = await store.run({
    goal: 'What is it?', model: MODEL, tools: [look], send: provider.send, instructions: 'Be brief.',
    rates: 'input=1 output=10', onEvent: (event) => events.push(event), maxDollars: undefined,
  });
  assert.deepEqual([result.stopped, result.answer, result.error], ['goal_achieved', 'It is a file.', '']);
  const [call, finish] = result.steps;
  assert.deepEqual(JSON.parse(JSON.parse(String(call?.observation))), { path: 'a.txt', lines: null });
  assert.deepEqual([call?.action, call?.isError, finish?.action], ['look', false, 'finish']);
  assert.deepEqual([result.tokens, result.dollars, result.isCostKnown], [220, 0.0004, true]);
  assert.deepEqual([result.waitsFor, result.waitsWith], ['', '']);
  const [first, second] = provider.requests;
  assert.match(String(second?.url), /\/responses$/);
  assert.ok(!second?.body.stream);
  assert.match(JSON.stringify(second?.body), /Be brief\./);
  assert.deepEqual(first?.body.tools[0].parameters.required, ['path']);
  for (const event of ['started', 'asking', 'call', 'result', 'ended']) assert.ok(events.includes(event), event);
  const turns = await all(store.log());
  assert.equal(turns.filter(({ type }) => type === 'tool').length, 1);
  assert.equal(/** @type {any} */ (await store.show()).meta.run, result.run);
  await store.close();
});

test('a tool may answer later, and with any value', needsAddon, async () => {
  const store = await opened();
  const values = { text: 'as it is', none: undefined, list: [1, 'ü'], big: { n: 12n }, half: '\ud800!' };
  const tools = Object.entries(values).map(([name, value]) => plain(name, async () => {
    await sleep(1);
    return value;
  }));
  const calls = Object.fromEntries(Object.keys(values).map((name) => [name, {}]));
  const { steps } = await store.run({ goal: 'x', model: MODEL, tools, ...answering(reply('', calls), reply('Done.')) });
  assert.deepEqual(steps.slice(0, -1).map(({ observation }) => JSON.parse(observation)),
    ['as it is', 'null', '[1,"ü"]', '{"n":"12"}', '\ufffd!']);
  await store.close();
});

test('a tool that throws or rejects is told to the model', needsAddon, async () => {
  const store = await opened();
  const tools = [
    plain('throws', () => { throw new RangeError('nothing'); }),
    plain('rejects', async () => { throw new RangeError('later'); }),
    plain('odd', () => { throw 'no error'; }),
  ];
  const provider = scripted(reply('', { throws: {}, rejects: {}, odd: {} }), reply('They failed.'));
  const { answer, steps } = await store.run({ goal: 'x', model: MODEL, tools, send: provider.send });
  assert.equal(answer, 'They failed.');
  assert.deepEqual(steps.map(({ isError }) => isError), [true, true, true, false]);
  const told = JSON.stringify(provider.requests[1]?.body);
  for (const text of ['RangeError: nothing', 'RangeError: later', 'no error']) assert.match(told, new RegExp(text));
  await store.close();
});

test('arguments that do not fit do not reach the function', needsAddon, async () => {
  const store = await opened();
  let called = false;
  const strict = { ...look, run: () => called = true };
  const { steps } = await store.run({
    goal: 'x', model: MODEL, tools: [strict], ...answering(reply('', { look: { path: 7 } }), reply('Sorry.')) });
  assert.equal(steps[0]?.isError, true);
  assert.equal(called, false);
  await store.close();
});

test('the schema of a tool may be one of zod', needsAddon, async (t) => {
  const z = await import('zod').then((zod) => zod.z, () => null);
  if (!z) return t.skip('zod is not installed');
  const store = await opened();
  /** @type {unknown[]} */
  const given = [];
  const parameters = z.object({ path: z.string(), lines: z.number().int().default(10) })
    .refine(({ path }) => path !== '/', 'not the root');
  const tools = [{ ...look, parameters, run: (/** @type {unknown} */ args) => { given.push(args); } }];
  const provider = scripted(reply('', { look: { path: 'a' } }), reply('', { look: { path: '/' } }), reply('Done.'));
  const { steps } = await store.run({ goal: 'x', model: MODEL, tools, send: provider.send });
  assert.deepEqual(given, [{ path: 'a', lines: 10 }]);
  assert.deepEqual(provider.requests[0]?.body.tools[0].parameters.required, ['path']);
  assert.deepEqual(steps.map(({ isError }) => isError), [false, true, false]);
  assert.match(String(steps[1]?.observation), /not the root/);
  await store.close();
});

test('a schema of zod may wait', needsAddon, async (t) => {
  const z = await import('zod').then((zod) => zod.z, () => null);
  if (!z) return t.skip('zod is not installed');
  const store = await opened();
  const parameters = z.object({ path: z.string() }).refine(async ({ path }) => path !== '/', 'not the root');
  const tools = [{ ...look, parameters, run: () => 'seen' }];
  const { send } = scripted(reply('', { look: { path: 'a' } }), reply('', { look: { path: '/' } }), reply('Done.'));
  const { steps } = await store.run({ goal: 'x', model: MODEL, tools, send });
  assert.deepEqual(steps.map(({ isError }) => isError), [false, true, false]);
  await store.close();
});

test('half a surrogate pair in a goal becomes U+FFFD', needsAddon, async () => {
  const store = await opened();
  const provider = scripted(reply('Done.'));
  await store.run({ goal: 'look \ud83d', model: MODEL, instructions: 'be \udc00', send: provider.send });
  const sent = JSON.stringify(provider.requests[0]?.body);
  assert.ok(sent.includes('look \ufffd') && sent.includes('be \ufffd'), sent);
  await store.close();
});

test('an error of the program stops the run and is thrown', needsAddon, async () => {
  const store = await opened();
  class Odd extends Error {}
  const { send } = scripted(reply('', { look: { path: 'a' } }));
  const throwing = async () => { throw new Odd('no network'); };
  await assert.rejects(store.run({ goal: 'x', model: MODEL, branch: 'first', send: throwing }), Odd);
  for (const bad of /** @type {any[]} */ ([undefined, { body: '' }, { status: 200 }, { status: 200, body: 7 }])) {
    await assert.rejects(store.run({ goal: 'x', model: MODEL, branch: 'bad', send: () => bad }), TypeError);
  }
  const careful = { ...look, needsApproval: true };
  await assert.rejects(store.run({
    goal: 'x', model: MODEL, branch: 'asks', tools: [careful], approve: throwing,
    ...answering(reply('', { look: { path: 'a' } })) }), Odd);
  /** @type {string[]} */
  const events = [];
  const onEvent = (/** @type {string} */ event) => {
    events.push(event);
    if (event === 'result') throw new Odd(event);
  };
  await assert.rejects(store.run({ goal: 'x', model: MODEL, branch: 'second', tools: [look], send, onEvent }), Odd);
  assert.equal(events.at(-1), 'result');
  // It can be gone on with: the call is not made again.
  const provider = scripted(reply('Done.'));
  const result = await store.resume({ model: MODEL, branch: 'second', tools: [look], send: provider.send });
  assert.equal(result.answer, 'Done.');
  assert.equal(provider.requests.length, 1);
  assert.equal((await all(store.log('second'))).filter(({ type }) => type === 'tool').length, 1);
  await store.close();
});

test('a person is asked', needsAddon, async () => {
  const store = await opened();
  /** @type {string[]} */
  const done = [];
  const deploy = {
    name: 'deploy', description: 'Deploys.', needsApproval: true,
    parameters: { type: 'object', properties: { where: TEXT }, required: ['where'] },
    run: (/** @type {{ where: string }} */ { where }) => { done.push(where); return 'deployed'; },
  };
  const waiting = await store.run({
    goal: 'x', model: MODEL, tools: [deploy], ...answering(reply('', { deploy: { where: 'here' } })) });
  assert.deepEqual([waiting.waitsFor, JSON.parse(waiting.waitsWith), done], ['deploy', { where: 'here' }, []]);
  const result = await store.resume({
    model: MODEL, run: waiting.run, approval: { allows: true }, tools: [deploy], ...answering(reply('Deployed.')) });
  assert.deepEqual([result.answer, done], ['Deployed.', ['here']]);
  /** @type {unknown[]} */
  const asked = [];
  const provider = scripted(reply('', { deploy: { where: 'there' } }), reply('Not now.'));
  await store.run({
    goal: 'x', model: MODEL, branch: 'two', tools: [deploy], send: provider.send,
    approve: async (tool, args) => {
      asked.push([tool, args]);
      return { allows: false, reason: 'not on a Friday' };
    },
  });
  assert.deepEqual([asked, done], [[['deploy', { where: 'there' }]], ['here']]);
  assert.match(JSON.stringify(provider.requests[1]?.body), /not on a Friday/);
  const absent = await store.run({
    goal: 'x', model: MODEL, branch: 'three', tools: [deploy], approve: () => null,
    ...answering(reply('', { deploy: { where: 'there' } })) });
  assert.equal(absent.waitsFor, 'deploy');
  const without = await store.run({
    goal: 'x', model: MODEL, branch: 'four', tools: [{ ...plain('stop', () => 'ok'), needsApproval: true }],
    approve: (_, args) => ({ allows: JSON.stringify(args) === '{}' }),
    ...answering(reply('', { stop: '' }), reply('Stopped.')) });
  assert.deepEqual(without.steps.map(({ observation }) => observation), ['"ok"', '']);
  await store.close();
});

test('a refusal of the provider is a result', needsAddon, async () => {
  const store = await opened();
  const send = () => ({ status: 401, body: JSON.stringify({ error: { message: 'no such key', type: 'auth' } }) });
  const result = await store.run({ goal: 'x', model: MODEL, send });
  assert.equal(result.stopped, 'error');
  assert.match(result.error, /no such key/);
  await store.close();
});

test('options that are wrong', needsAddon, async () => {
  const store = await opened();
  const { send } = scripted();
  const wrong = [{ strategy: 'magic' }, { maxStep: 3 }, { maxSteps: 'many' }, { maxSteps: NaN },
    { maxDollars: Infinity }, { goal: '' },
    { tools: [{ name: 'x', description: 'y' }] }, { tools: [plain('no name', never)] }];
  for (const options of wrong) {
    await assert.rejects(store.run(/** @type {any} */ ({ goal: 'x', model: MODEL, send, ...options })),
      fails('invalid'), JSON.stringify(options));
  }
  await assert.rejects(store.run({ goal: 'x', model: 'nobody/m', send }), fails('not_found'));
  await assert.rejects(store.resume({ run: 'nosuch', model: MODEL, send }), fails('not_found'));
  await store.close();
  await assert.rejects(store.run({ goal: 'x', model: MODEL, send }), fails('invalid'));
});

test('read-only tools are called at the same time', needsAddon, async () => {
  const store = await opened();
  const first = pending();
  const second = pending();
  const tools = [
    { ...plain('one', async () => { first.resolve(); await second.promise; return 'a'; }), readOnly: true },
    { ...plain('two', async () => { second.resolve(); await first.promise; return 'b'; }), readOnly: true },
  ];
  const { steps } = await store.run({
    goal: 'x', model: MODEL, tools, ...answering(reply('', { one: {}, two: {} }), reply('Both.')) });
  assert.deepEqual(steps.map(({ observation, isError }) => [observation, isError]).slice(0, 2),
    [['"a"', false], ['"b"', false]]);
  await store.close();
});

test('many runs at once, whose tools wait for each other, read files and write', needsAddon, async () => {
  const store = await opened();
  const count = 12;  // More than libuv's pool has threads.
  let begun = 0;
  const full = pending();
  const meet = plain('meet', async () => {
    if (++begun === count) full.resolve();
    await full.promise;
    await readFile(process.execPath, { signal: AbortSignal.timeout(0) }).catch(() => {});
    return (await store.branch('notes').append('note', 'met')).id;
  });
  const results = await Promise.all(Array.from({ length: count }, (_, i) => store.run({
    goal: 'x', model: MODEL, branch: `run-${i}`, tools: [meet], ...answering(reply('', { meet: {} }), reply(`${i}`)) })));
  assert.deepEqual(results.map(({ answer }) => answer), Array.from({ length: count }, (_, i) => `${i}`));
  assert.equal((await all(store.log('notes'))).length, count);
  await store.close();
});

test('a signal stops the run while a function is waited for', needsAddon, async () => {
  const store = await opened();
  let first = '';
  const stopping = { now: new AbortController() };
  const hang = () => {
    setTimeout(() => stopping.now.abort(), 20);
    return never();
  };
  for (const [kind, options] of /** @type {[string, object][]} */ ([
    ['tool', { tools: [plain('wait', hang)] }],
    ['approve', { tools: [{ ...plain('wait', never), needsApproval: true }], approve: hang }],
    ['event', { tools: [plain('wait', never)], onEvent: (/** @type {string} */ event) => event === 'call' ? hang() : 0 }],
    ['send', { send: hang }],
  ])) {
    stopping.now = new AbortController();
    const { send } = scripted(reply('', { wait: {} }));
    const result = await store.run({ goal: 'x', model: MODEL, branch: kind, send, ...options, signal: stopping.now.signal });
    first ||= result.run;
    assert.deepEqual([kind, result.stopped], [kind, 'interrupted']);
    assert.equal(result.waitsFor, kind === 'approve' ? 'wait' : '');
  }
  // The model sees the call of the first one as failed, and the run goes on.
  const provider = scripted(reply('Too slow.'));
  const result = await store.resume({
    model: MODEL, branch: 'tool', run: first, tools: [plain('wait', never)], send: provider.send });
  assert.equal(result.answer, 'Too slow.');
  assert.match(JSON.stringify(provider.requests[0]?.body), /stopped before the function returned/);
  await store.close();
});

test('a signal that was aborted before asks nobody', needsAddon, async () => {
  const store = await opened();
  const provider = scripted(reply('x'));
  const result = await store.run({ goal: 'x', model: MODEL, send: provider.send, signal: AbortSignal.abort() });
  assert.equal(result.stopped, 'interrupted');
  assert.equal(provider.requests.length, 0);
  await store.close();
});

test('a run begins after the writes before it, and close waits for its end', needsAddon, async () => {
  const store = await opened();
  const written = store.branch('before').user('hi');
  const begun = pending();
  const tool = plain('slow', async () => {
    assert.equal((await all(store.log('before'))).length, 1);
    begun.resolve();
    await sleep(50);
    await store.branch('during').user('still open');
    return 'ok';
  });
  const run = store.run({ goal: 'x', model: MODEL, tools: [tool], ...answering(reply('', { slow: {} }), reply('Done.')) });
  await begun.promise;
  await store.close();
  const result = await run;
  assert.deepEqual([result.answer, result.steps[0]?.isError], ['Done.', false]);
  await written;
  await assert.rejects(store.tip(), fails('invalid'));
});

test('requests over HTTP, sent by fetch', needsAddon, async () => {
  const store = await opened();
  await serving([reply('', { look: { path: 'a' } }), reply('Fetched.')], async (url, requests) => {
    const result = await store.run({
      goal: 'x', model: MODEL, tools: [look], baseUrl: url,
      send: (to, body) => fetch(to, { method: 'POST', body, headers: { authorization: 'Bearer k' } }),
    });
    assert.equal(result.answer, 'Fetched.');
    assert.deepEqual(requests.map(({ url }) => url), ['/responses', '/responses']);
    assert.equal(requests[0]?.headers.authorization, 'Bearer k');
  });
  await store.close();
});

/** The answer of a provider of Chat Completions as a stream, as the library asks for it. */
const streamed = (/** @type {object} */ delta) => [{ choices: [{ index: 0, delta, finish_reason: null }] },
  { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }]
  .map((each) => `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', model: 'm', ...each })}\n\n`)
  .join('') + 'data: [DONE]\n\n';

test('requests over HTTP, sent by the library', needsAddon, async () => {
  const store = await opened();
  const call = { index: 0, id: 'c1', type: 'function', function: { name: 'look', arguments: '{"path": "a"}' } };
  const answers = [streamed({ role: 'assistant', tool_calls: [call] }), streamed({ role: 'assistant', content: 'Sent.' })];
  await serving(answers, async (url) => {
    const result = await store.run({ goal: 'x', model: 'vllm/m', tools: [look], baseUrl: url });
    assert.equal(result.answer, 'Sent.', result.error);
  });
  await store.close();
});

test('a signal stops a request of the library to a provider that is silent', needsAddon, async () => {
  const store = await opened();
  await serving([], async (url, requests) => {
    const stopping = new AbortController();
    const begun = performance.now();
    const run = store.run({ goal: 'x', model: 'vllm/m', baseUrl: url, signal: stopping.signal });
    while (requests.length === 0) await sleep(10);
    stopping.abort();
    assert.equal((await run).stopped, 'interrupted');
    assert.ok(performance.now() - begun < 15_000);
  });
  await store.close();
});
