// The session store of the Claude Agent SDK: the rules of its interface, which the SDK's own store in memory is held to as
// well; transcripts; and the Python package on the same branches.
// Environment: SPOOR_PROGRAM, and SPOOR_ADDON or an installed package. SPOOR_PYTHON is a Python that has the Python
// package (PYTHONPATH, SPOOR_LIBRARY) and claude-agent-sdk.
import { InMemorySessionStore, foldSessionSummary, getSessionMessages } from '@anthropic-ai/claude-agent-sdk';
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import process from 'node:process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { open } from 'spoor';
import { SpoorSessionStore } from 'spoor/claude-agent';
import { all, place } from './support.mjs';

/** @typedef {import('@anthropic-ai/claude-agent-sdk').SessionStoreEntry} Entry */
/** @typedef {Required<import('@anthropic-ai/claude-agent-sdk').SessionStore>} SessionStore */

const opened = (where = place()) => open(where, { create: true });
const MAIN = { projectKey: 'proj', sessionId: 'sess' };
const ONE = { ...MAIN, subpath: 'subagents/agent-1' };
const TWO = { ...MAIN, subpath: 'subagents/agent-2' };

/**
 * @param {string | undefined} uuid
 * @param {object} [more]
 * @returns {Entry}
 */
const entry = (uuid, more) => ({ type: 'x', ...(uuid && { uuid }), ...more });

/**
 * @param {SessionStore} store
 * @param {string} project
 */
const idsOf = async (store, project) => (await store.listSessions(project)).map((each) => each.sessionId).sort();

/** @type {Record<string, (store: SessionStore) => Promise<void>>} */
const RULES = {
  async 'load returns what was appended, in the order of the calls'(store) {
    await store.append(MAIN, [entry('z', { n: 1 })]);
    await store.append(MAIN, [entry('a', { n: 2 }), entry('m', { nested: [{ y: null, x: 'é' }] })]);
    await store.append(MAIN, [entry('b')]);
    assert.deepEqual(await store.load(MAIN), [
      entry('z', { n: 1 }), entry('a', { n: 2 }), entry('m', { nested: [{ y: null, x: 'é' }] }), entry('b')]);
  },
  async 'a key that was never written is null'(store) {
    assert.equal(await store.load(MAIN), null);
    await store.append(MAIN, [entry('a')]);
    assert.equal(await store.load({ ...MAIN, sessionId: 'nope' }), null);
    assert.equal(await store.load(ONE), null);
  },
  async 'appending nothing changes nothing'(store) {
    await store.append(MAIN, [entry('a')]);
    await store.append(MAIN, []);
    assert.deepEqual(await store.load(MAIN), [entry('a')]);
  },
  async 'subpaths and projects are apart from each other'(store) {
    await store.append(MAIN, [entry('m')]);
    await store.append(ONE, [entry('s')]);
    await store.append({ ...MAIN, projectKey: 'proj2' }, [entry('p')]);
    assert.deepEqual(await store.load(MAIN), [entry('m')]);
    assert.deepEqual(await store.load(ONE), [entry('s')]);
    assert.deepEqual(await store.load({ ...MAIN, projectKey: 'proj2' }), [entry('p')]);
  },
  async 'listSessions has the main transcripts of one project, and times in milliseconds'(store) {
    const before = Date.now();
    await store.append(MAIN, [entry('a')]);
    await store.append(ONE, [entry('b')]);
    await store.append({ ...MAIN, sessionId: 'other' }, [entry('c')]);
    await store.append({ ...MAIN, projectKey: 'proj2', sessionId: 'else' }, [entry('d')]);
    assert.deepEqual(await idsOf(store, 'proj'), ['other', 'sess']);
    assert.deepEqual(await store.listSessions('never'), []);
    for (const { mtime } of await store.listSessions('proj')) {
      assert.ok(Number.isInteger(mtime) && mtime >= before && mtime < before + 600_000);
    }
  },
  async 'the time of a session grows with each append'(store) {
    await store.append(MAIN, [entry('a')]);
    const [first] = await store.listSessions('proj');
    await store.append(MAIN, [entry('b')]);
    const [second] = await store.listSessions('proj');
    assert.ok(first && second && second.mtime > first.mtime);
  },
  async 'a summary is the fold of the entries, as it is, and subagents are not in it'(store) {
    const batches = [
      [entry('a', { timestamp: '2026-01-01T00:00:00.000Z', customTitle: 'first', cwd: '/home/ada' }),
        { type: 'user', message: { role: 'user', content: 'Hello\nthere' } }],
      [entry('b', { timestamp: '2026-01-01T00:00:02.000Z', customTitle: 'second' }), { type: 'tag', tag: 't' }],
    ];
    /** @type {any} */
    let folded;
    for (const batch of batches) {
      await store.append(MAIN, batch);
      folded = foldSessionSummary(folded, MAIN, batch);
    }
    await store.append(ONE, [entry('c', { customTitle: 'of a subagent' })]);
    await store.append({ ...MAIN, projectKey: 'proj2' }, [entry('d', { customTitle: 'else' })]);
    const [summary, ...rest] = await store.listSessionSummaries('proj');
    assert.deepEqual(rest, []);
    assert.equal(summary?.sessionId, 'sess');
    assert.deepEqual(summary?.data, folded.data);
    assert.equal(summary?.data.customTitle, 'second');
    assert.equal(summary?.data.firstPrompt, 'Hello there');
    assert.equal(summary?.mtime, (await store.listSessions('proj'))[0]?.mtime);
    assert.deepEqual(await store.listSessionSummaries('never'), []);
  },
  async 'deleting a session deletes its subagents, and nothing else'(store) {
    await store.delete({ ...MAIN, sessionId: 'never' });
    const others = [{ ...MAIN, sessionId: 'sess2' }, { ...MAIN, projectKey: 'proj2' }];
    for (const key of [MAIN, ONE, TWO, ...others]) await store.append(key, [entry('a')]);
    await store.delete(MAIN);
    for (const key of [MAIN, ONE, TWO]) assert.equal(await store.load(key), null);
    for (const key of others) assert.equal((await store.load(key))?.length, 1);
    assert.deepEqual(await store.listSubkeys(MAIN), []);
    assert.deepEqual(await idsOf(store, 'proj'), ['sess2']);
    assert.deepEqual((await store.listSessionSummaries('proj')).map((each) => each.sessionId), ['sess2']);
  },
  async 'deleting a subagent deletes only that'(store) {
    for (const key of [MAIN, ONE, TWO]) await store.append(key, [entry('a')]);
    await store.delete(ONE);
    assert.equal(await store.load(ONE), null);
    assert.equal((await store.load(MAIN))?.length, 1);
    assert.deepEqual(await store.listSubkeys(MAIN), [TWO.subpath]);
  },
  async 'a deleted session can be written anew'(store) {
    await store.append(MAIN, [entry('a', { customTitle: 'old' })]);
    await store.delete(MAIN);
    await store.append(MAIN, [entry('a')]);
    assert.deepEqual(await store.load(MAIN), [entry('a')]);
    assert.equal((await store.listSessionSummaries('proj'))[0]?.data.customTitle, undefined);
  },
  async 'listSubkeys has the subpaths of one session, without the main transcript'(store) {
    assert.deepEqual(await store.listSubkeys(MAIN), []);
    await store.append(MAIN, [entry('a')]);
    assert.deepEqual(await store.listSubkeys(MAIN), []);
    await store.append(ONE, [entry('b')]);
    await store.append(TWO, [entry('c')]);
    await store.append({ ...MAIN, sessionId: 'sess2', subpath: 'x' }, [entry('d')]);
    assert.deepEqual((await store.listSubkeys(MAIN)).sort(), [ONE.subpath, TWO.subpath]);
  },
};

for (const [rule, holds] of Object.entries(RULES)) {
  test(`${rule}: in spoor`, async () => {
    const store = await opened();
    await holds(new SpoorSessionStore(store));
    await store.close();
  });
  test(`${rule}: in the SDK's own store`, () => holds(new InMemorySessionStore()));
}

test('an entry whose uuid is there is not appended again; one without a uuid is', async () => {
  const store = await opened();
  await new SpoorSessionStore(store).append(MAIN, [entry('a', { n: 1 }), entry(undefined), entry('a', { n: 2 })]);
  const other = new SpoorSessionStore(store);
  await other.append(MAIN, [entry('a', { n: 3 }), entry(undefined), entry('b')]);
  await other.append(MAIN, [entry('b')]);
  assert.deepEqual(await other.load(MAIN), [entry('a', { n: 1 }), entry(undefined), entry(undefined), entry('b')]);
  await store.close();
});

test('writers at once lose and repeat nothing', async () => {
  const where = place();
  const stores = await Promise.all([opened(where), opened(where)]);
  const sessions = stores.map((store) => new SpoorSessionStore(store));
  const batches = Array.from({ length: 5 }, (_, n) => [entry(`${n}`), entry(`${n}+`)]);
  await Promise.all(sessions.flatMap((session) => batches.map((batch) => session.append(MAIN, batch))));
  const uuids = (await sessions[0]?.load(MAIN))?.map((each) => each.uuid);
  assert.deepEqual(uuids?.sort(), batches.flat().map((each) => each.uuid).sort());
  for (const store of stores) await store.close();
});

test('what a key is made of comes back', async () => {
  const store = await opened();
  const sessions = new SpoorSessionStore(store);
  const key = { projectKey: 'C:\\ü +/%', sessionId: 's.1/2+3', subpath: 'a/\u{1F600} %2B' };
  await sessions.append(key, [entry('a')]);
  await sessions.append({ ...key, subpath: undefined }, [entry('a')]);
  assert.deepEqual(await sessions.listSubkeys(key), [key.subpath]);
  assert.deepEqual(await idsOf(sessions, key.projectKey), [key.sessionId]);
  await store.close();
});

// ---- Transcripts, and the Python package ----

const KEY = { projectKey: '-home-ada', sessionId: '6d0b4a0e-5d2b-4c6e-9a57-0d5b7c1f2a31' };
const BRANCH = `claude/${KEY.projectKey}/${KEY.sessionId}`;

/**
 * @param {number} number
 * @param {string} type
 * @param {unknown} content
 * @returns {Entry}
 */
const said = (number, type, content) => ({
  type, uuid: `00000000-0000-4000-8000-${`${number}`.padStart(12, '0')}`, zeta: 0.5, alpha: null,
  sessionId: KEY.sessionId, timestamp: `2026-01-01T00:00:0${number}.000Z`, cwd: '/home/ada',
  parentUuid: number > 0 ? `00000000-0000-4000-8000-${`${number - 1}`.padStart(12, '0')}` : null,
  message: { role: type, content },
});

const TRANSCRIPT = [
  said(0, 'user', 'What is in x?'),
  said(1, 'assistant', [{ type: 'thinking', thinking: 'I look.', signature: 's' }]),
  said(2, 'assistant', [{ type: 'text', text: 'Looking.' },
    { type: 'tool_use', id: 'c1', name: 'Read', input: { path: 'x', limit: 2 } }]),
  said(3, 'user', [{ type: 'tool_result', tool_use_id: 'c1', is_error: true,
    content: [{ type: 'text', text: 'no x' }] }]),
  said(4, 'assistant', [{ type: 'thinking', thinking: 'So none.' },
    { type: 'text', text: 'There is no x. \u{1F600}' }]),
  { type: 'system', subtype: 'turn_duration', durationMs: 3 },
  { type: 'custom-title', customTitle: 'half \ud800' },
];

test('a transcript is turns, comes back as it was, and the SDK reads it', async () => {
  const store = await opened();
  await new SpoorSessionStore(store).append(KEY, TRANSCRIPT.slice(0, 3));
  const sessionStore = new SpoorSessionStore(store);
  await sessionStore.append(KEY, TRANSCRIPT.slice(2));
  const loaded = await sessionStore.load(KEY);
  assert.deepEqual(loaded, TRANSCRIPT);
  assert.deepEqual(loaded?.map(Object.keys), TRANSCRIPT.map(Object.keys));
  const turns = (await all(store.log(BRANCH))).reverse();
  assert.deepEqual(turns.map(({ type, text }) => [type, text]), [
    ['user', 'What is in x?'], ['reasoning', 'I look.'], ['assistant', 'Looking.'], ['tool', 'no x'],
    ['reasoning', 'So none.'], ['assistant', 'There is no x. \u{1F600}'], ['note', ''], ['note', '']]);
  assert.deepEqual(turns[2]?.toolCalls, [{ id: 'c1', name: 'Read', arguments: '{"path":"x","limit":2}' }]);
  assert.deepEqual([turns[3]?.callId, turns[3]?.isError], ['c1', true]);
  const messages = await getSessionMessages(KEY.sessionId, { sessionStore, dir: '/home/ada' });
  assert.deepEqual(messages.map(({ type }) => type), ['user', 'assistant', 'assistant', 'user', 'assistant']);
  await store.close();
});

const PYTHON = `
import asyncio, json, sys
import spoor
from spoor.claude_agent import SpoorSessionStore

async def main(entries, more):
    with spoor.open(sys.argv[1], create=True) as store:
        sessions = SpoorSessionStore(store)
        key = {"project_key": "${KEY.projectKey}", "session_id": "${KEY.sessionId}"}
        await sessions.append(key, entries)
        loaded = await sessions.load(key)
        listed = (await sessions.list_session_summaries(key["project_key"]))[0]["data"]
        await sessions.append({**key, "subpath": "subagents/agent-\\u00fc"}, more)
        turns = [[turn.type, turn.text, turn.call_id, turn.metadata] for turn in store.log("${BRANCH}")]
        print(json.dumps({"loaded": loaded, "listed": listed, "turns": turns}))

asyncio.run(main(*json.loads(sys.argv[2])))
`;

/**
 * Appends entries with the Python package. Returns the session, its summary and its turns as that reads them.
 * @param {string} where
 * @param {Entry[]} entries
 */
async function inPython(where, entries) {
  const { stdout } = await promisify(execFile)(String(process.env.SPOOR_PYTHON),
    ['-c', PYTHON, where, JSON.stringify([entries, [entry('s')]])]);
  return JSON.parse(stdout);
}

test('Python and TypeScript share a session', { skip: !process.env.SPOOR_PYTHON && 'no SPOOR_PYTHON' }, async () => {
  const where = place();
  const folded = (/** @type {Entry[]} */ entries) => foldSessionSummary(undefined, KEY, entries).data;
  const store = await opened(where);
  await inPython(where, TRANSCRIPT.slice(0, 3));
  const sessions = new SpoorSessionStore(store);
  assert.deepEqual(await sessions.load(KEY), TRANSCRIPT.slice(0, 3));
  assert.deepEqual((await sessions.listSessionSummaries(KEY.projectKey))[0]?.data, folded(TRANSCRIPT.slice(0, 3)));
  assert.deepEqual(await sessions.listSubkeys(KEY), ['subagents/agent-ü']);

  await sessions.append(KEY, TRANSCRIPT.slice(2, 5));
  const read = await inPython(where, TRANSCRIPT.slice(4));
  assert.deepEqual(read.loaded, TRANSCRIPT);
  assert.deepEqual(await sessions.load(KEY), TRANSCRIPT);
  assert.deepEqual((await sessions.listSessionSummaries(KEY.projectKey))[0]?.data, folded(TRANSCRIPT));
  assert.equal(read.listed.custom_title, folded(TRANSCRIPT).customTitle);
  await sessions.append(KEY, [said(6, 'user', 'bye')]);
  assert.equal((await inPython(where, [])).listed.first_prompt, 'What is in x?');
  await store.close();
});

test('Python and TypeScript write the same turns', { skip: !process.env.SPOOR_PYTHON && 'no SPOOR_PYTHON' }, async () => {
  const store = await opened();
  await new SpoorSessionStore(store).append(KEY, TRANSCRIPT);
  const own = (await all(store.log(BRANCH))).map(({ type, text, callId, metadata }) => [type, text, callId, metadata]);
  const { turns } = await inPython(place(), TRANSCRIPT);
  for (const [, , , metadata] of [...own, ...turns]) {
    const { session, entry } = /** @type {any} */ (metadata);
    if (session) delete session.mtime;
    for (const each of [session?.summary, entry]) {
      if (each?.text) each.text = JSON.parse(each.text);  // Python's JSON has spaces.
    }
  }
  assert.deepEqual(own, turns);
  await store.close();
});
