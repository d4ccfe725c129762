// The answers of operations are what docs/schema/ says, of which the package's types are made.
// Those of `calls`, `cost` and the other commands of sessions are compared in tests/api.
// Environment: SPOOR_PROGRAM, SPOOR_SCHEMAS, and SPOOR_ADDON or an installed package.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { open } from 'spoor';
import { place } from './support.mjs';

const folder = String(process.env.SPOOR_SCHEMAS);
/** @param {string} name */
const read = (name) => JSON.parse(readFileSync(path.join(folder, `${name}.json`), 'utf8'));
const { $defs, properties: results } = read('results');

/**
 * Checks a value against a schema; every member of an object must be in it.
 * @param {any} schema
 * @param {any} value
 * @param {string} where
 */
function check(schema, value, where) {
  if (schema.$ref) return check($defs[schema.$ref.split('/').at(-1)], value, where);
  if (schema.anyOf) return check(schema.anyOf[value === null ? 1 : 0], value, where);
  if (!schema.type) return;
  /** @type {Record<string, string>} */
  const types = { string: 'string', integer: 'number', number: 'number', boolean: 'boolean' };
  if (schema.type === 'null') return assert.equal(value, null, where);
  if (schema.type in types) return assert.equal(typeof value, types[schema.type], where);
  if (schema.type === 'array') {
    assert.ok(Array.isArray(value), where);
    value.forEach((each, index) => check(schema.items, each, `${where}[${index}]`));
    return;
  }
  assert.ok(value !== null && typeof value === 'object' && !Array.isArray(value), where);
  for (const name of schema.required ?? []) assert.ok(name in value, `${where}.${name} is missing`);
  for (const [name, each] of Object.entries(value)) {
    const member = schema.properties ? schema.properties[name] : schema.additionalProperties ?? {};
    assert.ok(member, `${where}.${name} is not in the schema`);
    check(member, each, `${where}.${name}`);
  }
}

test('the answer of every operation has the shape of its schema', async () => {
  const store = await open(place(), { create: true });
  const asked = new Set();
  /** @type {(op: string, members?: Record<string, unknown>) => Promise<any>} */
  const ask = async (op, members) => {
    const answer = await store.call(op, members);
    check(results[op], answer, op);
    asked.add(op);
    return answer;
  };
  const calls = [{ id: 'c1', name: 'look', arguments: '{"at": "x"}' }];
  await ask('system', { text: 'Be terse.' });
  const { hash } = await ask('user', { text: 'hi', metadata: { a: 1 }, tags: ['x'] });
  await ask('reasoning', { text: 'a greeting', as: 'r' });
  await ask('assistant', { text: 'hello', tool_calls: calls });
  await ask('tool', { text: 'nothing', call_id: 'c1', name: 'look', is_error: true });
  for (const op of ['artifact', 'summary', 'note', 'decision']) {
    await ask(op, { text: 'x', name: 'x', attach: [{ media_type: 'text/plain', text: 'hi' }], raw: ['{}'] });
  }
  await ask('config', { set: { model: 'm' } });
  await ask('edit', { target: hash, text: 'hi!' });
  await ask('restore', { target: hash, version: 0 });
  await ask('edit', { target: hash, text: 'hi?' });
  await ask('annotate', { target: hash, priority: 'pinned', reason: 'r' });
  await ask('show', { rev: hash });
  await ask('log', { all_commits: true });
  await ask('compile');
  await ask('compile', { to: 'anthropic', include_reasoning: true, window: 1 });
  await ask('diff', { from: hash });
  await ask('reasonings', { search: 'greet' });
  await ask('reasoning_of', { rev: '$r' });
  await ask('search', { text: 'look' });
  const shown = await store.show(hash);
  await ask('content', { hash: shown.content?.hash });
  await ask('refs');
  await ask('ref_at', { ref: 'refs/heads/main', time: '2100-01-01' });
  await ask('is_ancestor', { ancestor: hash });
  await ask('resolve');
  await ask('operations');
  await ask('fsck');
  await ask('gc');
  await ask('rebuild');
  await ask('branch', { name: 'topic', to: hash });
  await ask('tag', { name: 'v1' });
  await ask('switch', { branch: 'topic' });
  await ask('status');
  await ask('transaction', { ops: [{ op: 'user', text: 'aside' }, { op: 'assistant', text: 'yes' }] });
  await ask('compress', { text: 'all of it' });
  await ask('switch', { branch: 'main' });
  await ask('merge', { source: 'topic' });
  await ask('expect', { branch: 'topic', hash: await store.tip('topic') });
  await ask('undo');
  await ask('redo');
  await ask('cherry_pick', { targets: ['topic~1'] });
  await ask('abandon', { targets: ['HEAD'] });
  await ask('amend', { message: 'said so' });
  await ask('rebase', { onto: 'main', branch: 'topic' });
  await ask('reset', { to: 'HEAD~1' });
  await ask('delete_tag', { name: 'v1' });
  await ask('delete_branch', { name: 'topic' });
  await ask('set_token_limit', { tokens: 1000 });
  await store.close();

  assert.deepEqual([...asked].sort(), Object.keys(results).sort());
});
