// ./dev interop. Holds one conversation with the fake provider through the providers' own clients
// and through ours, in every way both know, and compares:
//   - what the fake says, the official clients take: texts, thinking, calls, usage, lists, errors;
//   - what the official clients send and what ours sends is the same, in the members both have.
// Arguments: the programs spoor-fake-provider and spoor-interop-client.
import assert from 'node:assert/strict';
import { spawn, execFile } from 'node:child_process';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';

const [fakeProgram, ourProgram] = process.argv.slice(2);
const run = promisify(execFile);

const SYSTEM = 'You are terse.';
const QUESTION = 'What is the weather in Paris?';
const RESULT = '18 degrees';
const THOUGHT = 'The weather is asked for.';
const ANSWER = 'It is 18 degrees in Paris.';
const SCHEMA = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const TOOL = { name: 'get_weather', description: 'The weather of a city.' };

const fake = spawn(fakeProgram, { stdio: ['pipe', 'pipe', 'inherit'] });
const url = await new Promise((resolve) =>
  createInterface(fake.stdout).once('line', resolve));
const openai = new OpenAI({ apiKey: 'sk-interop', baseURL: `${url}/v1`, maxRetries: 0 });
const anthropic = new Anthropic({ apiKey: 'sk-interop', baseURL: url, maxRetries: 0 });

const takeRequests = async () => (await fetch(`${url}/_requests`)).json();

let passed = 0;
let failed = 0;
async function fact(name, check) {
  try {
    await check();
    ++passed;
    console.log(`ok      ${name}`);
  } catch (error) {
    ++failed;
    console.log(`FAILED  ${name}\n${error.stack}`);
  }
}

// ---- The conversation, as each official client holds it. Each returns what the model said. ----

async function anthropicConversation(stream) {
  const ask = async (messages) => {
    const body = {
      model: 'fake-1', max_tokens: 8192, system: SYSTEM, messages,
      tools: [{ ...TOOL, input_schema: SCHEMA }],
    };
    return stream ? anthropic.messages.stream(body).finalMessage()
                  : anthropic.messages.create(body);
  };
  const messages = [{ role: 'user', content: QUESTION }];
  const first = await ask(messages);
  assert.equal(first.stop_reason, 'tool_use');
  const call = first.content.find((block) => block.type === 'tool_use');
  messages.push({ role: 'assistant', content: first.content });
  messages.push({
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: call.id, content: RESULT }],
  });
  const second = await ask(messages);
  return {
    call: call.name,
    arguments: JSON.stringify(call.input),
    reasoning: first.content.find((block) => block.type === 'thinking').thinking,
    text: second.content.find((block) => block.type === 'text').text,
    output_tokens: second.usage.output_tokens,
  };
}

async function chatConversation(stream) {
  const ask = async (messages) => {
    const body = {
      model: 'fake-1', messages,
      tools: [{ type: 'function', function: { ...TOOL, parameters: SCHEMA } }],
    };
    if (!stream) return openai.chat.completions.create(body);
    const answer = openai.chat.completions
      .stream({ ...body, stream_options: { include_usage: true } });
    // Not of OpenAI's own API: its helper keeps the last piece only.
    let reasoning = '';
    answer.on('chunk', (chunk) => {
      reasoning += chunk.choices[0]?.delta.reasoning_content ?? '';
    });
    const whole = await answer.finalChatCompletion();
    whole.choices[0].message.reasoning_content = reasoning;
    return whole;
  };
  const messages = [{ role: 'system', content: SYSTEM }, { role: 'user', content: QUESTION }];
  const first = await ask(messages);
  const said = first.choices[0].message;
  assert.equal(first.choices[0].finish_reason, 'tool_calls');
  messages.push({
    role: 'assistant', content: said.content,
    tool_calls: said.tool_calls.map(({ id, type, function: { name, arguments: text } }) =>
      ({ id, type, function: { name, arguments: text } })),
  });
  messages.push({ role: 'tool', tool_call_id: said.tool_calls[0].id, content: RESULT });
  const second = await ask(messages);
  return {
    call: said.tool_calls[0].function.name,
    arguments: said.tool_calls[0].function.arguments,
    reasoning: said.reasoning_content,
    text: second.choices[0].message.content,
    output_tokens: second.usage.completion_tokens,
  };
}

async function responsesConversation(stream) {
  const ask = async (input) => {
    const body = {
      model: 'fake-1', input, store: false,
      include: ['reasoning.encrypted_content'],
      tools: [{ type: 'function', ...TOOL, parameters: SCHEMA, strict: false }],
    };
    return stream ? openai.responses.stream(body).finalResponse() : openai.responses.create(body);
  };
  const input = [{ role: 'system', content: SYSTEM }, { role: 'user', content: QUESTION }];
  const first = await ask(input);
  const call = first.output.find((item) => item.type === 'function_call');
  // The stream's helper adds members of its own, which are not for sending back.
  input.push(...first.output.map(({ parsed_arguments, ...item }) => item.type !== 'message' ? item
    : { ...item, content: item.content.map(({ parsed, ...part }) => part) }));
  input.push({ type: 'function_call_output', call_id: call.call_id, output: RESULT });
  const second = await ask(input);
  return {
    call: call.name,
    arguments: call.arguments,
    reasoning: first.output.find((item) => item.type === 'reasoning').summary[0].text,
    text: second.output.find((item) => item.type === 'message').content[0].text,
    output_tokens: second.usage.output_tokens,
  };
}

// ---- Comparing what was sent. ----

// Where one says a text and the other a list of one text, they say the same.
function plain(value) {
  if (Array.isArray(value) && value.length === 1 && typeof value[0].text === 'string' &&
      ['text', 'input_text', 'output_text'].includes(value[0].type)) {
    return value[0].text;
  }
  return value;
}

function compare(theirs, ours, place) {
  theirs = plain(theirs);
  ours = plain(ours);
  if (Array.isArray(theirs) && Array.isArray(ours)) {
    assert.equal(ours.length, theirs.length, `length of ${place}`);
    theirs.forEach((value, index) => compare(value, ours[index], `${place}[${index}]`));
  } else if (theirs && ours && typeof theirs === 'object' && typeof ours === 'object') {
    const keys = Object.keys(theirs);
    assert.ok(keys.length === 0 || keys.some((key) => key in ours), `${place} has nothing in common`);
    for (const key of keys) {
      if (key in ours) compare(theirs[key], ours[key], `${place}.${key}`);
    }
  } else {
    assert.deepEqual(ours, theirs, place);
  }
}

// What each client says of itself and its connection. anthropic-version: ours is the older one, and
// why stands in docs/providers.md.
const THEIR_OWN = new RegExp('^(host|user-agent|accept.*|content-length|connection|sec-.*|' +
  'x-stainless-.*|anthropic-version)$');

function compareRequests(theirs, ours, must) {
  assert.equal(ours.length, theirs.length, 'number of requests');
  theirs.forEach((request, index) => {
    const mine = ours[index];
    assert.equal(mine.method, request.method);
    assert.equal(mine.path.split('?')[0], request.path.split('?')[0]);
    for (const [name, value] of Object.entries(request.headers)) {
      if (!THEIR_OWN.test(name) && name in mine.headers) {
        assert.equal(mine.headers[name], value, `header ${name}`);
      }
    }
    const body = JSON.parse(request.body);
    const myBody = JSON.parse(mine.body);
    for (const member of must) {
      assert.ok(member in body && member in myBody, `both have ${member}`);
    }
    compare(body, myBody, `request ${index}`);
  });
}

// ---- The facts. ----

const wires = [
  { wire: 'anthropic', hold: anthropicConversation, must: ['model', 'messages', 'system', 'tools'] },
  { wire: 'openai-chat', hold: chatConversation, must: ['model', 'messages', 'tools'] },
  { wire: 'openai-responses', hold: responsesConversation,
    must: ['model', 'input', 'tools', 'store', 'include'] },
];

for (const { wire, hold, must } of wires) {
  for (const mode of ['whole', 'stream']) {
    const stream = mode === 'stream';
    let said;
    let theirs;
    await fact(`${wire}, ${mode}: the official client takes all that is said`, async () => {
      said = await hold(stream);
      assert.deepEqual(said, {
        call: 'get_weather', arguments: '{"city":"Paris"}', reasoning: THOUGHT, text: ANSWER,
        output_tokens: 7,
      });
    });
    theirs = await takeRequests();
    await fact(`${wire}, ${mode}: our client reads the same`, async () => {
      const { stdout } = await run(ourProgram, [url, wire, mode]);
      assert.deepEqual(JSON.parse(stdout), said);
    });
    const ours = await takeRequests();
    await fact(`${wire}, ${mode}: our client sends the same`, async () => {
      compareRequests(theirs, ours, stream ? [...must, 'stream'] : must);
    });
  }
}

await fact('anthropic: a list of models, page by page', async () => {
  const names = [];
  for await (const model of anthropic.models.list()) names.push(model.id);
  assert.deepEqual(names, ['fake-1', 'fake-2', 'fake-3']);
});
await fact('openai: a list of models', async () => {
  const names = [];
  for await (const model of openai.models.list()) names.push(model.id);
  assert.deepEqual(names, ['fake-1', 'fake-2', 'fake-3']);
});
await fact('anthropic: a count of tokens', async () => {
  const count = await anthropic.messages.countTokens(
    { model: 'fake-1', messages: [{ role: 'user', content: QUESTION }] });
  assert.ok(count.input_tokens > 0);
});
await fact('a wrong key is an authentication error to both clients', async () => {
  const wrong = { apiKey: 'sk-wrong', maxRetries: 0 };
  await assert.rejects(new Anthropic({ ...wrong, baseURL: url }).models.list(),
    Anthropic.AuthenticationError);
  await assert.rejects(new OpenAI({ ...wrong, baseURL: `${url}/v1` }).models.list(),
    OpenAI.AuthenticationError);
});

fake.stdin.end();
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed ? 1 : 0;
