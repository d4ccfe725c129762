// Runs the cases with the official JavaScript clients: client.mjs CASES. As client.py, member by member.
import { createHash } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { Ollama } from 'ollama';
import OpenAI from 'openai';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import { ResponsesWS } from 'openai/resources/responses/ws';

const KEY = 'sk-of-nobody-0123456789';
const setup = JSON.parse(readFileSync(process.argv[2]));
const responses = []; // Of the case that runs: [status, headers] each.

const plainFetch = globalThis.fetch;
globalThis.fetch = async (...words) => {
  const response = await plainFetch(...words);
  responses.push([response.status, [...response.headers]]);
  return response;
};

function clientOf({ api, name, coding, retries }) {
  const base = setup.bases[api];
  const headers = { 'x-case': encodeURIComponent(name), ...(coding && { 'accept-encoding': coding }) };
  const options = { apiKey: KEY, baseURL: base, defaultHeaders: headers, maxRetries: retries ?? 0 };
  if (api === 'anthropic') return new Anthropic(options);
  if (api === 'openai') return new OpenAI(options);
  if (api === 'ollama') return new Ollama({ host: base, headers });
  const retryOptions = retries && { attempts: 3, initialDelay: 0.1 };
  return new GoogleGenAI({ apiKey: KEY, httpOptions: { baseUrl: base, headers, ...(retryOptions && { retryOptions }) } });
}

async function plain(value) {
  if (value instanceof Response) {
    const bytes = Buffer.from(await value.arrayBuffer());
    return { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
  }
  return value === undefined ? null : JSON.parse(JSON.stringify(value));
}

// Appends what the iteration gives to `got`, so that it is there also if it fails.
async function collect(source, { take }, got, abort) {
  for await (const each of source) {
    got.push(await plain(each));
    if (got.length !== take) continue;
    abort();
    break;
  }
}

// ---- The next request of a conversation, as in client.py. ----

const results = (calls, make) => calls.map((call, i) => make(call, `result ${i} of a tool: ✓`));

const AFTER = {
  Anthropic(body, got) {
    const { content } = got.final ?? got;
    const calls = content.filter((block) => block.type === 'tool_use');
    const turn = results(calls, ({ id }, text) => ({ type: 'tool_result', tool_use_id: id, content: text }));
    return calls.length && { ...body, messages: [...body.messages, { role: 'assistant', content }, { role: 'user', content: turn }] };
  },
  Chat(body, got) {
    const { message } = (got.final ?? got).choices[0];
    const calls = (message.tool_calls ?? []).map(({ id, function: { name, arguments: text } }) =>
      ({ id, type: 'function', function: { name, arguments: text } }));
    const turn = results(calls, ({ id }, text) => ({ role: 'tool', tool_call_id: id, content: text }));
    const said = { role: 'assistant', content: message.content, tool_calls: calls };
    return calls.length && { ...body, messages: [...body.messages, said, ...turn] };
  },
  Responses(body, got) {
    const { output } = Array.isArray(got) ? got.at(-1).response : got;
    const calls = output.filter((item) => item.type === 'function_call');
    const turn = results(calls, ({ call_id }, text) => ({ type: 'function_call_output', call_id, output: text }));
    return calls.length && { ...body, input: [...body.input, ...output, ...turn] };
  },
  Gemini(body, got) {
    const parts = [got].flat().flatMap((chunk) => chunk.candidates[0].content.parts);
    const calls = parts.flatMap((part) => part.functionCall ?? []);
    const turn = results(calls, ({ name }, text) => ({ functionResponse: { name, response: { output: text } } }));
    return calls.length && { ...body, contents: [...body.contents, { role: 'model', parts }, { role: 'user', parts: turn }] };
  },
  Ollama(body, got) {
    const messages = [got].flat().map((chunk) => chunk.message);
    const calls = messages.flatMap((message) => message.tool_calls ?? []);
    const turn = results(calls, (call, text) => ({ role: 'tool', tool_name: call.function.name, content: text }));
    const said = { role: 'assistant', content: messages.map((message) => message.content).join(''), tool_calls: calls };
    return calls.length && { ...body, messages: [...body.messages, said, ...turn] };
  },
};

// Calls `messages.count_tokens` as `client.messages.countTokens`.
function call(client, path, ...words) {
  const names = path.split('.').map((name) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase()));
  const owner = names.slice(0, -1).reduce((value, name) => value[name], client);
  return owner[names.at(-1)](...words);
}

// One call of the client. Appends its result to `got`.
async function ask(client, item, body, got) {
  let words = 'id' in item ? [item.id] : 'body' in item ? [body] : [];
  if (item.opens) words = [{ ...body, [item.opens]: item.api === 'google' ? setup.file : createReadStream(setup.file) }];
  if (item.helper) {
    const { stream: _, ...rest } = body;
    const stream = call(client, item.call.replace('.create', '.stream'), rest);
    const events = [];
    got.push(events);
    await collect(stream, item, events);
    const final = await (item.api === 'anthropic' ? stream.finalMessage() : stream.finalChatCompletion());
    got[got.length - 1] = { events, final: await plain(final) };
    return;
  }
  const leaving = new AbortController();
  if (item.take && item.api === 'google') words = [{ ...body, config: { ...body.config, abortSignal: leaving.signal } }];
  const result = await call(client, item.call, ...words);
  if (!item.many) {
    got.push(await plain(result));
    return;
  }
  got.push([]);
  const abort = () => (item.api === 'google' ? leaving : result.controller ?? result).abort();
  await collect(result, item, got.at(-1), abort);
}

// Sends each event on a WebSocket, and reads up to the last one for it.
async function talk(client, item, got) {
  const headers = { 'x-case': encodeURIComponent(item.name) };
  // The Realtime client knows wss: only; here that is a plain connection.
  const socket = item.call === 'realtime.connect'
    ? new OpenAIRealtimeWS({ model: 'm-1', options: { headers, createConnection: (options) => connect(options) } }, client)
    : new ResponsesWS(client, { headers });
  await new Promise((resolve, reject) => {
    const left = [...item.events];
    const send = () => {
      const next = left.shift();
      if (next) socket.send(next);
      else resolve();
    };
    socket.on('error', reject);
    socket.on('event', (event) => {
      got.push(event);
      if (event.type === item.last || event.type === 'session.created') send();
    });
    if (item.call !== 'realtime.connect') send(); // Else the server speaks first.
  });
  socket.close();
}

async function http({ name, api, method, path, body }, got) {
  const response = await fetch(setup.bases[api] + path,
    { method, body: JSON.stringify(body), headers: { 'x-case': encodeURIComponent(name), 'content-type': 'application/json' } });
  got.push(await response.text());
}

async function run(client, item, first) {
  const got = [];
  try {
    if (item.call === 'http') {
      await http(item, got);
    } else if (item.events) {
      await talk(client, item, got);
    } else {
      let chain = item.chain ?? 1;
      for (let body = first; body;) {
        await ask(client, item, body, got);
        if (--chain > 0) {
          const answer = item.many ? got.at(-1).at(-1).response : got.at(-1);
          body = { ...body, previous_response_id: answer.id, input: `And ${chain} more?` };
        } else {
          body = item.rounds && AFTER[item.title](body, got.at(-1));
        }
      }
    }
  } catch (error) {
    got.push({ error: error.constructor.name, message: error.message, status: error.status ?? null,
               body: error.error ?? null, cause: error.cause?.code ?? null });
  }
  return got;
}

for (const item of setup.cases) {
  responses.length = 0;
  const client = clientOf(item);
  const body = item.body ?? {};
  const bodies = Array.from({ length: item.times ?? 1 }, (_, i) => item.times
    ? JSON.parse(JSON.stringify(body).replace('größer', `number ${i}`)) : body);
  const got = await Promise.all(bodies.map((each) => run(client, item, each)));
  if (item.again) got.push(await run(client, item, body));
  console.log(JSON.stringify({ name: item.name, got,
                               responses: responses.map((each) => JSON.stringify(each)).sort() }));
}
process.exit(0);
