// The official clients, recorded: each call is in the store with its exact request, and a recorder
// that fails does not fail the call.
// Environment: SPOOR_PROGRAM, SPOOR_FAKE_PROVIDER, and SPOOR_ADDON or an installed package.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { open, record } from 'spoor';
import { all, place } from './support.mjs';

let clients;
try {
  clients = await Promise.all(['openai', '@anthropic-ai/sdk', '@google/genai'].map((name) => import(name)));
} catch {
  console.log('skipped: no openai, @anthropic-ai/sdk or @google/genai');
  process.exit(0);
}
const [{ default: OpenAI }, { default: Anthropic }, { GoogleGenAI }] = clients;

const KEY = 'sk-interop';
const QUESTION = 'How is the weather in Paris?';
const ANSWER = 'It is 18 degrees in Paris.';

let url;
let gemini;
let provider;
before(async () => {
  provider = spawn(process.env.SPOOR_FAKE_PROVIDER, { stdio: ['pipe', 'pipe', 'inherit'] });
  url = await new Promise((resolve) => createInterface(provider.stdout).once('line', resolve));
  gemini = createServer(answerAsGemini).listen(0, '127.0.0.1');
  await new Promise((resolve) => gemini.once('listening', resolve));
});
after(() => {
  provider.stdin.end();
  gemini.close();
});

// The fake provider does not know Gemini's API.
function answerAsGemini(request, response) {
  const piece = (text, finishReason) => ({
    candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason }],
    modelVersion: 'gemini-3-pro', responseId: 'r1',
  });
  request.resume().on('end', () => {
    if (!request.url.includes('stream')) {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(piece(ANSWER, 'STOP')));
      return;
    }
    response.setHeader('content-type', 'text/event-stream');
    for (const each of [piece(ANSWER.slice(0, 9)), piece(ANSWER.slice(9), 'STOP')]) {
      response.write(`data: ${JSON.stringify(each)}\r\n\r\n`);
    }
    response.end();
  });
}

const messages = [{ role: 'user', content: QUESTION }];
const APIS = {
  chat: {
    client: (options) => new OpenAI({ ...options, baseURL: `${url}/v1` }),
    ask: (client, stream) => client.chat.completions.create({ model: 'gpt-5', messages, stream }),
  },
  responses: {
    client: (options) => new OpenAI({ ...options, baseURL: `${url}/v1` }),
    ask: (client, stream) => client.responses.create({ model: 'gpt-5', input: messages, stream }),
  },
  messages: {
    client: (options) => new Anthropic({ ...options, baseURL: url }),
    ask: (client, stream) =>
      client.messages.create({ model: 'claude-sonnet-5', max_tokens: 500, messages, stream }),
  },
  gemini: {
    client: ({ apiKey, fetch }) => new GoogleGenAI({ apiKey, httpOptions: {
      baseUrl: `http://127.0.0.1:${gemini.address().port}`, fetch } }),
    ask: (client, stream) => client.models[stream ? 'generateContentStream' : 'generateContent'](
      { model: 'gemini-3-pro', contents: QUESTION }),
  },
};

// Makes a client, which notes the bodies that it sends.
function clientOf(api, sent = []) {
  const fetch = (input, init) => {
    sent.push(init.body);
    return globalThis.fetch(input, init);
  };
  return APIS[api].client({ apiKey: KEY, maxRetries: 0, fetch });
}

// One conversation was recorded, which ends with the answer; its request is the one sent.
async function check(store, sent) {
  const [branch, ...others] = await store.branches();
  assert.deepEqual(others, []);
  const turns = await all(store.log(branch));
  assert.deepEqual([turns[0].type, turns.at(-1).type], ['assistant', 'user']);
  assert.deepEqual([turns[0].text, turns.at(-1).text], [ANSWER, QUESTION]);
  assert.equal(sent.length, 1);
  await store.close();
  const folder = path.dirname(store.where);
  const raw = execFileSync(process.env.SPOOR_PROGRAM,
    ['--store', store.where, 'prompt', turns[0].id, '--raw'],
    { env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder } });
  assert.equal(raw.toString(), sent[0]);
  assert.ok(!readFileSync(store.where).includes(KEY));
}

for (const [api, { ask }] of Object.entries(APIS)) {
  for (const streams of [false, true]) {
    test(`${api}, ${streams ? 'streamed' : 'whole'}`, async () => {
      const store = await open(place(), { create: true });
      const sent = [];
      const answer = await ask(record(clientOf(api, sent), store), streams);
      if (streams) assert.ok((await all(answer)).length > 1);
      await check(store, sent);
    });
  }
}

test('a client gives the same with a recorder', async () => {
  const store = await open(place(), { create: true });
  const plain = await APIS.messages.ask(clientOf('messages'));
  const recorded = await APIS.messages.ask(record(clientOf('messages'), store));
  assert.deepEqual(recorded.content, plain.content);
  await store.close();
});

for (const api of ['chat', 'responses', 'messages']) {
  for (const aborts of [false, true]) {
    test(`${api}, a stream that is left${aborts ? ' and aborted' : ''} is recorded`, async () => {
      const store = await open(place(), { create: true });
      const stream = await APIS[api].ask(record(clientOf(api), store), true);
      const moved = await store.watch('', { timeout: 2000 });
      for await (const _ of stream) {
        if (aborts) stream.controller.abort();
        break;
      }
      if ((await store.branches()).length === 0) await moved.next();
      const [branch] = await store.branches();
      assert.equal((await all(store.log(branch))).at(-1).text, QUESTION);
      await moved.return();
      await store.close();
    });
  }
}

test('a recorder that fails does not fail the call, and warns', async () => {
  const store = await open(place(), { create: true });
  const client = record(clientOf('chat'), store);
  await store.close();
  const warned = new Promise((resolve) => process.once('warning', resolve));
  const answer = await APIS.chat.ask(client);
  assert.equal(answer.choices[0].message.content, ANSWER);
  assert.match((await warned).message, /a call was not recorded/);
});

test('a call that fails, fails as before', async () => {
  const store = await open(place(), { create: true });
  const wrong = new OpenAI({ apiKey: 'sk-wrong', baseURL: `${url}/v1`, maxRetries: 0 });
  await assert.rejects(APIS.chat.ask(record(wrong, store)), OpenAI.AuthenticationError);
  const nowhere = new OpenAI({ apiKey: KEY, baseURL: 'http://127.0.0.1:1/v1', maxRetries: 0 });
  await assert.rejects(APIS.chat.ask(record(nowhere, store)), OpenAI.APIConnectionError);
  await store.close();
});

test('what is not a client is refused', async () => {
  assert.throws(() => record(new Date(), /** @type {any} */ (null)), /'Date' is not a client/);
});
