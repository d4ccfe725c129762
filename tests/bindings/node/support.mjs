// What the tests of the TypeScript package share. The package is the one of this tree, or the
// installed one that SPOOR_NODE_PACKAGE names; the addon is SPOOR_ADDON.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after } from 'node:test';

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
