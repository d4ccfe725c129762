// Compiled only: what the package declares fits the declarations of the clients.
import { anthropic } from '@ai-sdk/anthropic';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { wrapLanguageModel } from 'ai';
import OpenAI from 'openai';
import { type Prompt, type RunResult, type Tool, open, record } from 'spoor';
import { recordingMiddleware } from 'spoor/ai';
import { z } from 'zod';

const store = await open('x.spoor');
const openai: OpenAI = record(new OpenAI(), store);
const client: Anthropic = record(new Anthropic(), store);
const google: GoogleGenAI = record(new GoogleGenAI({}), store);
wrapLanguageModel({ model: anthropic('claude-sonnet-5'), middleware: recordingMiddleware(store) });

const prompt: Prompt = await store.compile();
const text: string = await store.compile('main', { to: 'text' });
const { hash } = await store.call('user', { text: 'hi' });
// @ts-expect-error 'text' is required.
await store.call('user', {});
// @ts-expect-error There is no member 'txt'.
await store.call('user', { text: 'hi', txt: 'hi' });
const { rows } = await store.call('sql', { query: 'SELECT 1' });
await store.call('debrief', { run: hash }) satisfies unknown;

const parameters = z.object({ path: z.string() });
const tool: Tool = {
  name: 'head', description: 'Shows a file.', parameters, readOnly: true,
  run: async ({ path }: z.infer<typeof parameters>) => path.length,
};
const result: RunResult = await store.run({
  goal: 'x', model: 'openai/gpt-5', tools: [tool], signal: AbortSignal.timeout(1000), maxSteps: 3,
  approve: () => ({ allows: true }), send: (url, body) => fetch(url, { method: 'POST', body: new Uint8Array(body) }),
});
await store.resume({ model: 'openai/gpt-5', run: result.run, approval: { allows: false, reason: 'no' } });
// @ts-expect-error 'model' is required.
await store.run({ goal: 'x' });
// @ts-expect-error There is no option 'maxStep'.
await store.run({ goal: 'x', model: 'openai/gpt-5', maxStep: 3 });
// @ts-expect-error A scrubber may not be async.
await open('x.spoor', { scrub: async (_, text) => text });
export { client, google, openai, prompt, rows, text };
