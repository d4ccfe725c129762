// Compiled only: what the package declares fits the declarations of the clients.
import { anthropic } from '@ai-sdk/anthropic';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { wrapLanguageModel } from 'ai';
import OpenAI from 'openai';
import { type Prompt, open, record } from 'spoor';
import { recordingMiddleware } from 'spoor/ai';

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
export { client, google, openai, prompt, rows, text };
