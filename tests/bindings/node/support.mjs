// What the tests of the TypeScript package share. The package is the one of this tree, or the
// installed one that SPOOR_NODE_PACKAGE names; the addon is SPOOR_ADDON.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { after } from 'node:test';
import { promisify } from 'node:util';
import { SpoorError, open } from 'spoor';

/** Returns the path of a store in a folder of its own, which is removed in the end. */
export function place() {
  const folder = mkdtempSync(path.join(tmpdir(), 'spoor-'));
  after(() => rmSync(folder, { recursive: true }));
  return path.join(folder, 'talk.spoor');
}

/**
 * @template T
 * @param {AsyncIterable<T>} items
 */
export async function all(items) {
  /** @type {T[]} */
  const list = [];
  for await (const item of items) list.push(item);
  return list;
}

/** @param {import('spoor').OpenOptions} options */
export const opened = (options = {}) => open(place(), { create: true, ...options });

/** @param {import('spoor').Code} code */
export const fails = (code) => (/** @type {unknown} */ error) =>
  error instanceof SpoorError && error.code === code;

/**
 * Runs a script in a process of its own, and returns what it prints. A script that fails rejects.
 * @param {string} script
 * @param {string[]} args
 */
export function inChild(script, ...args) {
  const run = promisify(execFile)(process.execPath,
    ['--input-type=module', '--eval', `import { open } from 'spoor'; ${script}`, ...args],
    { timeout: 20_000, cwd: import.meta.dirname });
  return Object.assign(run.then(({ stdout }) => stdout.trim()), { child: run.child });
}

/**
 * Returns the body of an answer of OpenAI's Responses API, with calls by their tools' names. Arguments
 * that are a string are as they are.
 * @param {string} text
 * @param {Record<string, object | string>} calls
 */
export function reply(text, calls = {}) {
  const made = Object.entries(calls).map(([name, args], i) => (
    { type: 'function_call', call_id: `c${i}`, name, arguments: typeof args === 'string' ? args : JSON.stringify(args) }));
  const words = {
    type: 'message', role: 'assistant', status: 'completed',
    content: [{ type: 'output_text', text, annotations: [] }],
  };
  return JSON.stringify({
    id: 'r', object: 'response', status: 'completed', model: 'gpt-5', output: text ? [words, ...made] : made,
    usage: { input_tokens: 100, output_tokens: 10, total_tokens: 110 },
  });
}

/**
 * Returns a provider that answers with bodies, one after the other, as the option `send` of a run.
 * @param {string[]} answers
 */
export function scripted(...answers) {
  /** @type {{ url: string, body: any }[]} */
  const requests = [];
  /** @type {import('spoor').Send} */
  const send = (url, body) => {
    requests.push({ url, body: JSON.parse(body.toString()) });
    const answer = answers.shift();
    if (answer === undefined) throw new Error('no request was expected');
    return { status: 200, body: answer };
  };
  return { send, requests };
}

/**
 * Returns the option alone.
 * @param {string[]} answers
 */
export const answering = (...answers) => ({ send: scripted(...answers).send });

/**
 * Serves answers over HTTP, and passes its address on.
 * @param {string[]} answers
 * @param {(url: string, requests: import('node:http').IncomingMessage[]) => Promise<void>} body
 */
export async function serving(answers, body) {
  /** @type {import('node:http').IncomingMessage[]} */
  const requests = [];
  const server = createServer((request, response) => {
    requests.push(request);
    request.resume().on('end', () => {
      const answer = answers.shift();
      if (answer === undefined) return;  // Never.
      response.setHeader('content-type', 'application/json');
      response.end(answer);
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  try {
    await body(`http://127.0.0.1:${port}`, requests);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
