// A session store of the Claude Agent SDK: see claude-agent.d.ts. Branches and turns have the same forms as those of
// spoor.claude_agent in the Python package.
import { foldSessionSummary } from '@anthropic-ai/claude-agent-sdk';

const HEADS = 'refs/heads/';
const TRIES = 20;

export class SpoorSessionStore {
  #store;
  #sessions = new Map();
  #last = Promise.resolve();

  constructor(store) {
    this.#store = store;
  }

  append(key, entries) {
    const branch = branchOf(key);
    if (!this.#sessions.has(branch)) this.#sessions.set(branch, new Session(this.#store, branch));
    return this.#serially(() => retried(() => this.#sessions.get(branch).append(key, inJson(entries))));
  }

  async load(key) {
    const entries = [];
    for await (const turn of turnsOf(this.#store, branchOf(key))) {
      if (turn.metadata.entry) entries.push(entryOf(turn));
    }
    return entries.length > 0 ? entries.reverse() : null;
  }

  async listSessions(projectKey) {
    return (await this.#newest(projectKey)).map(([sessionId, { mtime }]) => ({ sessionId, mtime }));
  }

  async listSessionSummaries(projectKey) {
    return (await this.#newest(projectKey)).map(([sessionId, { mtime, summary }]) => (
      { sessionId, mtime, data: renamed(restored(summary), inCamelCase) }));
  }

  delete(key) {
    const branch = branchOf(key);
    const isGone = (name) => name === branch || (key.subpath == null && name.startsWith(`${branch}+`));
    return this.#serially(async () => {
      const ops = (await branchesOf(this.#store, branch)).filter(isGone)
        .map((name) => ({ op: 'delete_branch', name }));
      if (ops.length > 0) await this.#store.call('transaction', { ops });
      for (const { name } of ops) this.#sessions.delete(name);
    });
  }

  async listSubkeys({ projectKey, sessionId }) {
    const start = `${branchOf({ projectKey, sessionId })}+`;
    return (await branchesOf(this.#store, start)).map((name) => keyOf(name.slice(start.length)));
  }

  // Changes go one after the other, in the order in which they were called.
  #serially(work) {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  // Returns the sessions of a project, with what the newest turn of each has about it.
  async #newest(projectKey) {
    const start = `claude/${nameOf(projectKey)}/`;
    const found = [];
    for (const name of await branchesOf(this.#store, start)) {
      if (name.includes('+')) continue;
      for await (const { metadata } of turnsOf(this.#store, name)) {
        if (!metadata.session) continue;
        found.push([keyOf(name.slice(start.length)), metadata.session]);
        break;
      }
    }
    return found;
  }
}

// One transcript: what has to be known of it to append to it.
class Session {
  #tip;
  #uuids = new Set();
  #about;

  constructor(store, branch) {
    Object.assign(this, { store, branch });
  }

  async append(key, entries) {
    await this.#refresh();
    const known = new Set(this.#uuids);
    const fresh = entries.filter(({ uuid }) => {
      const isNew = uuid == null || !known.has(uuid);
      known.add(uuid);
      return isNew;
    });
    if (fresh.length === 0) return;
    const last = this.#about;
    const about = { mtime: Math.max(Date.now(), last ? last.mtime + 1 : 0) };
    if (key.subpath == null) {
      const before = last && { sessionId: key.sessionId, mtime: last.mtime,
        data: renamed(restored(last.summary), inCamelCase) };
      about.summary = stored(renamed(foldSessionSummary(before, key, fresh).data, inSnakeCase));
    }
    const turns = fresh.flatMap((entry) => opsOf(this.branch, entry));
    turns.at(-1).metadata.session = about;
    const expected = { op: 'expect', branch: this.branch, ...(this.#tip && { hash: this.#tip }) };
    const { results } = await this.store.call('transaction', { ops: [expected, ...turns] });
    for (const turn of turns) this.#take(turn);
    this.#tip = results.at(-1).hash;
  }

  // Reads what other writers added. Reads all again if the branch does not contain what was read before.
  async #refresh() {
    const tip = await tipOf(this.store, this.branch);
    if (tip === this.#tip) return;
    const turns = [];
    let isKnown = false;
    for await (const turn of tip ? this.store.log(tip) : []) {
      isKnown = turn.id === this.#tip;
      if (isKnown) break;
      turns.push(turn);
    }
    if (!isKnown) {
      this.#uuids = new Set();
      this.#about = undefined;
    }
    for (const turn of turns.reverse()) this.#take(turn);
    this.#tip = tip;
  }

  #take({ metadata }) {
    if (metadata?.uuid !== undefined) this.#uuids.add(metadata.uuid);
    this.#about = metadata?.session ?? this.#about;
  }
}

async function retried(attempt) {
  for (let left = TRIES; ; --left) {
    try {
      return await attempt();
    } catch (error) {
      if (error.code !== 'conflict' || left === 1) throw error;  // Else another writer was first.
    }
  }
}

// ---- Branches ----

function branchOf({ projectKey, sessionId, subpath }) {
  const main = `claude/${nameOf(projectKey)}/${nameOf(sessionId)}`;
  return subpath == null ? main : `${main}+${nameOf(subpath)}`;
}

// Returns a key as one word of a branch's name; keyOf() is its inverse.
const nameOf = (key) => key.replace(/[^A-Za-z0-9_-]/gu, (char) =>
  Buffer.from(char).toString('hex').toUpperCase().replace(/../g, '%$&')) || '%';

const keyOf = (name) => name === '%' ? '' : Buffer.from(
  name.replace(/%(..)/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))), 'latin1').toString();

async function branchesOf(store, prefix) {
  const { refs } = await store.call('refs', { prefix: HEADS + prefix });
  return refs.map(({ name }) => name.slice(HEADS.length));
}

async function tipOf(store, branch) {
  try {
    return await store.tip(branch);
  } catch (error) {
    if (error.code === 'not_found') return undefined;
    throw error;
  }
}

// Yields the turns of a branch, newest first; none if there is no such branch.
async function* turnsOf(store, branch) {
  const tip = await tipOf(store, branch);
  if (tip) yield* store.log(tip);
}

// ---- Entries as turns ----

const inJson = (value) => JSON.parse(JSON.stringify(value));

function entryOf({ text, metadata: { entry, at } }) {
  return at ? lower(restored(entry), at, text) : restored(entry);
}

// Returns an entry as turns: the entry itself, and before it the reasoning that it has next to other blocks.
function opsOf(branch, entry) {
  const { role, content } = entry.message ?? {};
  let shape = { kind: 'note', at: [], more: {}, thoughts: [] };
  if ((role === 'user' || role === 'assistant') && entry.type === role) {
    if (typeof content === 'string') shape = { ...shape, kind: role, at: ['message', 'content'] };
    else if (Array.isArray(content)) shape = shapeOf(role, content);
  }
  const [text, rest] = lift(entry, shape.at);
  const metadata = { entry: stored(rest), ...(text && { at: shape.at }) };
  if (typeof entry.uuid === 'string') metadata.uuid = entry.uuid;
  return [
    ...shape.thoughts.map((thought) => ({ op: 'reasoning', branch, text: thought })),
    { op: shape.kind, branch, text, metadata, ...shape.more },
  ];
}

// Returns the type of turn of a message's blocks, the place of the text, more members, and other reasoning.
function shapeOf(role, content) {
  let kind = role;
  let at = [];
  let more = {};
  const thoughts = [];
  const calls = [];
  content.forEach((block, index) => {
    const place = ['message', 'content', index];
    const inner = block?.content;
    if (block?.type === 'text' && at.length === 0) {
      at = [...place, 'text'];
    } else if (block?.type === 'thinking' && typeof block.thinking === 'string') {
      thoughts.push({ at: [...place, 'thinking'], text: block.thinking });
    } else if (block?.type === 'tool_use') {
      calls.push({ id: String(block.id ?? ''), name: String(block.name ?? ''),
        arguments: typeof block.input === 'string' ? block.input : JSON.stringify(block.input ?? null) });
    } else if (block?.type === 'tool_result' && role === 'user') {
      kind = 'tool';
      more = { call_id: String(block.tool_use_id ?? ''), is_error: block.is_error === true };
      if (typeof inner === 'string') at = [...place, 'content'];
      else if (Array.isArray(inner) && inner.length > 0) at = [...place, 'content', 0, 'text'];
    }
  });
  if (calls.length > 0) {
    more.tool_calls = calls;
  } else if (thoughts.length > 0 && at.length === 0 && role === 'assistant') {
    kind = 'reasoning';
    at = thoughts.pop().at;
  }
  return { kind, at, more, thoughts: thoughts.map(({ text }) => text) };
}

// Returns the text at a path of a document, and the document with null in its place; an empty text and the document
// as it is if no text is there. lower() is the inverse.
function lift(document, path) {
  const text = path.length > 0 ? path.reduce((value, key) => value?.[key], document) : undefined;
  if (typeof text !== 'string' || text === '' || !text.isWellFormed()) return ['', document];
  return [text, lower(document, path, null)];
}

function lower(value, [key, ...rest], text) {
  if (key === undefined) return text;
  const inner = lower(value[key], rest, text);
  return Array.isArray(value) ? value.with(key, inner) : { ...value, [key]: inner };
}

// Returns a JSON value as a member of metadata, where members are sorted; restored() is the inverse.
const stored = (value) => isKept(value) ? { json: value } : { text: JSON.stringify(value) };

const restored = (document) => document.text !== undefined ? JSON.parse(document.text) : document.json;

function isKept(value) {
  if (Array.isArray(value)) return value.every(isKept);
  if (typeof value === 'number') return Number.isSafeInteger(value);
  if (value === null || typeof value !== 'object') return true;
  const keys = Object.keys(value);
  return keys.every((key, index) => /^[\0-\x7f]*$/.test(key) && (index === 0 || keys[index - 1] <= key)) &&
    Object.values(value).every(isKept);
}

// ---- Summaries: the SDK for Python has the same members, in snake_case ----

const inSnakeCase = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const inCamelCase = (name) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
const renamed = (data, rename) => Object.fromEntries(
  Object.entries(data).map(([name, value]) => [rename(name), value]));
