// The middleware of the AI SDK: calls by its providers are recorded with their exact bodies, calls of a
// provider that nothing is known of by their texts.
// Environment: SPOOR_PROGRAM, SPOOR_FAKE_PROVIDER, and SPOOR_ADDON or an installed package.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { open } from 'spoor';
import { recordingMiddleware } from 'spoor/ai';
import { all, place } from './support.mjs';

let sdk;
try {
  sdk = await Promise.all(['ai', '@ai-sdk/openai', '@ai-sdk/anthropic'].map((name) => import(name)));
} catch {
  console.log('skipped: no ai, @ai-sdk/openai or @ai-sdk/anthropic');
  process.exit(0);
}
const [{ generateText, streamText, wrapLanguageModel }, { createOpenAI }, { createAnthropic }] = sdk;
const QUESTION = 'How is the weather in Paris?';
const ANSWER = 'It is 18 degrees in Paris.';

let url;
let provider;
before(async () => {
  provider = spawn(process.env.SPOOR_FAKE_PROVIDER, { stdio: ['pipe', 'pipe', 'inherit'] });
  url = await new Promise((resolve) => createInterface(provider.stdout).once('line', resolve));
});
after(() => provider.stdin.end());

const MODELS = {
  chat: (options) => createOpenAI(options).chat('gpt-5'),
  responses: (options) => createOpenAI(options).responses('gpt-5'),
  messages: (options) => createAnthropic(options)('claude-sonnet-5'),
};

function modelOf(api, sent) {
  const fetch = (input, init) => {
    sent.push(init.body);
    return globalThis.fetch(input, init);
  };
  return MODELS[api]({ apiKey: 'sk-interop', baseURL: `${url}/v1`, fetch });
}

for (const api of Object.keys(MODELS)) {
  for (const streams of [false, true]) {
    test(`${api}, ${streams ? 'streamed' : 'whole'}`, async () => {
      const store = await open(place(), { create: true });
      const sent = [];
      const model = wrapLanguageModel({ model: modelOf(api, sent), middleware: recordingMiddleware(store) });
      const types = new Set();
      const asked = { model, prompt: QUESTION, maxRetries: 0 };
      if (streams) {
        for await (const part of streamText(asked).fullStream) types.add(part.type);
        assert.ok(!types.has('raw'));
      } else {
        assert.equal((await generateText(asked)).text, ANSWER);
      }
      const [branch] = await store.branches();
      const turns = await all(store.log(branch));
      assert.deepEqual([turns[0].text, turns.at(-1).text], [ANSWER, QUESTION]);
      await store.close();
      const folder = path.dirname(store.where);
      const raw = execFileSync(process.env.SPOOR_PROGRAM, ['--store', store.where, 'prompt', turns[0].id, '--raw'],
        { env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder } });
      // The provider's package leaves `stream` out of the body that it gives for this one.
      const { stream, ...given } = JSON.parse(sent[0]);
      const isPart = api === 'responses' && stream;
      assert.equal(raw.toString(), isPart ? JSON.stringify(given) : sent[0]);
    });
  }
}

// A provider that the SDK knows nothing of: it gives neither request nor response.
const stranger = {
  specificationVersion: 'v4', provider: 'stranger', modelId: 'm-1', supportedUrls: {},
  doGenerate: async ({ prompt }) => {
    const last = prompt.at(-1);
    const content = last.role === 'user'
      ? [{ type: 'reasoning', text: 'I look.' },
         { type: 'tool-call', toolCallId: 'c1', toolName: 'look', input: '{"at":"x"}' }]
      : [{ type: 'text', text: 'Nothing there.' }];
    return { content, finishReason: { unified: 'stop' }, usage: { inputTokens: {}, outputTokens: {} }, warnings: [] };
  },
};

test('a conversation with any other provider is one branch', async () => {
  const store = await open(place(), { create: true });
  const model = wrapLanguageModel({ model: stranger, middleware: recordingMiddleware(store) });
  const prompt = [{ role: 'system', content: 'Be terse.' }, { role: 'user', content: [{ type: 'text', text: 'Look.' }] }];
  const { content } = await model.doGenerate({ prompt });
  await model.doGenerate({ prompt: [...prompt, { role: 'assistant', content },
    { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c1', toolName: 'look',
      output: { type: 'text', value: 'empty' } }] }] });
  const [branch, ...others] = await store.branches();
  assert.deepEqual(others, []);
  const turns = (await all(store.log(branch))).reverse();
  assert.deepEqual(turns.filter((turn) => turn.type !== 'note').map((turn) => [turn.type, turn.text]), [
    ['system', 'Be terse.'], ['user', 'Look.'], ['reasoning', 'I look.'], ['assistant', ''],
    ['tool', 'empty'], ['assistant', 'Nothing there.']]);
  assert.equal(turns.find((turn) => turn.toolCalls.length > 0)?.toolCalls[0].name, 'look');
  await store.close();
});

// Calls a model of a provider by its name, which gives these bodies, and returns the turns that were recorded.
async function turnsOf(provider, sent, got, text) {
  const store = await open(place(), { create: true });
  const inner = {
    specificationVersion: 'v4', provider, modelId: 'm-1', supportedUrls: {},
    doGenerate: async () => ({
      content: [{ type: 'text', text }], finishReason: { unified: 'stop' },
      usage: { inputTokens: {}, outputTokens: {} }, warnings: [], request: { body: sent }, response: { body: got },
    }),
  };
  const model = wrapLanguageModel({ model: inner, middleware: recordingMiddleware(store) });
  await model.doGenerate({ prompt: [{ role: 'user', content: [{ type: 'text', text: QUESTION }] }] });
  const [branch] = await store.branches();
  const turns = await all(store.log(branch));
  await store.close();
  return turns.reverse().map((turn) => [turn.type, turn.text]);
}

test('a provider whose name tells another API than it has', async () => {
  const turns = [['user', QUESTION], ['assistant', ANSWER]];
  const contents = [{ role: 'user', parts: [{ text: QUESTION }] }];
  const candidates = [{ content: { role: 'model', parts: [{ text: ANSWER }] }, finishReason: 'STOP' }];
  assert.deepEqual(await turnsOf('google.vertex.chat', { contents }, { candidates }, ANSWER), turns);
  const messages = [{ role: 'user', content: QUESTION }];
  const message = { role: 'assistant', content: [{ type: 'text', text: ANSWER }] };
  assert.deepEqual(await turnsOf('cohere.chat', { model: 'm-1', messages }, { message }, ANSWER), turns);
});

test('a stream that the program aborts is recorded', async () => {
  for (const api of Object.keys(MODELS)) {
    const store = await open(place(), { create: true });
    const model = wrapLanguageModel({ model: modelOf(api, []), middleware: recordingMiddleware(store) });
    const stopping = new AbortController();
    const { fullStream } = streamText({ model, prompt: QUESTION, maxRetries: 0, abortSignal: stopping.signal });
    const moved = await store.watch('', { timeout: 2000 });
    for await (const part of fullStream) {
      if (part.type === 'text-start' || part.type === 'text-delta') stopping.abort();
    }
    if ((await store.branches()).length === 0) await moved.next();
    await moved.return();
    const [branch] = await store.branches();
    assert.equal((await all(store.log(branch))).at(-1).text, QUESTION);
    await store.close();
  }
});

test('a call that the provider refuses is recorded, and fails as before', async () => {
  const store = await open(place(), { create: true });
  const wrong = createOpenAI({ apiKey: 'sk-wrong', baseURL: `${url}/v1` }).chat('gpt-5');
  const model = wrapLanguageModel({ model: wrong, middleware: recordingMiddleware(store) });
  await assert.rejects(generateText({ model, prompt: QUESTION, maxRetries: 0 }), { statusCode: 401 });
  const [branch] = await store.branches();
  assert.deepEqual((await all(store.log(branch))).map((turn) => turn.text), [QUESTION]);
  await store.close();
});

test('the options of a call are left as they are', async () => {
  const store = await open(place(), { create: true });
  const model = wrapLanguageModel({ model: modelOf('chat', []), middleware: recordingMiddleware(store) });
  const options = Object.freeze({ prompt: [{ role: 'user', content: [{ type: 'text', text: QUESTION }] }] });
  const { stream } = await model.doStream(options);
  assert.ok((await all(stream)).every((part) => part.type !== 'raw'));
  await store.close();
});

test('a recorder that fails does not fail the call, and warns', async () => {
  const store = await open(place(), { create: true });
  const model = wrapLanguageModel({ model: modelOf('chat', []), middleware: recordingMiddleware(store) });
  await store.close();
  const warned = new Promise((resolve) => process.once('warning', resolve));
  assert.equal((await generateText({ model, prompt: QUESTION })).text, ANSWER);
  assert.match((await warned).message, /a call was not recorded/);
});
