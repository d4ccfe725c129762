// The examples of docs/node.md run, each in a process of its own, and print what their comments say.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { backend } from 'spoor';

const folder = mkdtempSync(path.join(tmpdir(), 'spoor-'));
after(() => rmSync(folder, { recursive: true }));
const examples = readdirSync(import.meta.dirname).filter((name) => name.startsWith('example_'));

/**
 * Returns the first package that a text imports and that is not installed.
 * @param {string} text
 */
const missing = (text) => [...text.matchAll(/ from '([^']+)'/g)].map(([, name]) => String(name)).find((name) => {
  try {
    return !import.meta.resolve(name);
  } catch {
    return true;
  }
});

for (const name of examples.sort()) {
  const file = path.join(import.meta.dirname, name);
  const text = readFileSync(file, 'utf8');
  const needsAddon = backend.name === 'batch' && /store\.run|scrub:/.test(text);
  const lacks = needsAddon ? 'addon' : missing(text);
  test(name, { skip: lacks && `no ${lacks}` }, () => {
    const expected = [...text.matchAll(/^.*console\.log\(.*\); +\/\/ (.*)$/gm)]
      .map(([, text]) => text);
    const printed = execFileSync(process.execPath, [file], { cwd: folder, encoding: 'utf8' });
    assert.deepEqual(printed.trimEnd().split('\n'), expected);
    assert.ok(expected.length > 0);
  });
}

test('the page has examples', () => {
  assert.ok(examples.length > 1);
});
