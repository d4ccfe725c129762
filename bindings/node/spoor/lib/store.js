// Stores, branches and transactions: see index.d.ts.
import { setTimeout as sleep } from 'node:timers/promises';
import * as addon from './addon.js';
import { BatchStore } from './batch.js';
import { SpoorError } from './errors.js';
import { run } from './runs.js';

const HEADS = 'refs/heads/';
const LOOK = 50;  // Milliseconds, as the library itself looks.

const reason = addon.load();
const Driver = reason === null ? addon.AddonStore : BatchStore;

export const backend = { name: reason === null ? 'addon' : 'batch', reason };

export async function open(where, options = {}) {
  return new Store(where, await Driver.open(textOf(where, 'the path of the store'), options));
}

// Returns a string, with U+FFFD for half of a surrogate pair. Throws for what is none: the addon takes it for an
// empty one.
function textOf(value, what) {
  if (typeof value !== 'string') throw new SpoorError('invalid', `${what} must be a string`);
  return value.toWellFormed();
}

const revisionOf = (value) => textOf(value, 'a revision');
const branchOf = (value) => textOf(value, 'the name of a branch');
const optional = (value, what) => value == null ? undefined : textOf(value, what);

function countOf(value, what) {
  if (value == null || Number.isSafeInteger(value)) return value ?? undefined;
  throw new SpoorError('invalid', `'${what}' must be an integer`);
}

// Returns a turn as drivers take it.
function turnOf(branch, type, text, { toolCalls, callId, name, isError, author, metadata }) {
  if (branchOf(branch) === '') throw new SpoorError('invalid', "'' is not a branch name: a name cannot be empty");
  if (isError != null && typeof isError !== 'boolean') {
    throw new SpoorError('invalid', "'isError' must be true or false");
  }
  return {
    branch: branchOf(branch), type: textOf(type, 'the type of a turn'), text: textOf(text, 'the text of a turn'),
    name: optional(name, "'name'"), author: optional(author, "'author'"), metadata,
    call_id: optional(callId, "'callId'"), is_error: isError ?? undefined,
    tool_calls: toolCalls?.length > 0 ? toolCalls : undefined,
  };
}

class Appended {
  #id;

  constructor(id) {
    this.#id = id;
  }

  get id() {
    if (this.#id) return this.#id;
    throw new SpoorError('invalid', 'the transaction has not ended', 'wait for transaction() first');
  }

  static settle(appended, id) {
    appended.#id = id;
  }
}

// A branch, in a transaction or not: `add` takes a function that makes one turn, and gives an Appended or its promise.
class Branch {
  #add;

  constructor(name, add) {
    this.name = name;
    this.#add = add;
  }

  append(type, text, more = {}) {
    return this.#add(() => turnOf(this.name, type, text, more ?? {}));
  }

  system(text, more) {
    return this.append('system', text, more);
  }

  user(text, more) {
    return this.append('user', text, more);
  }

  reasoning(text, more) {
    return this.append('reasoning', text, more);
  }

  assistant(text, toolCalls = [], more = {}) {
    return this.append('assistant', text, { ...more, toolCalls });
  }

  tool(text, call, more = {}) {
    return this.append('tool', text, { ...more, callId: call.id, name: call.name });
  }
}

class Store {
  #driver;
  #last = Promise.resolve();
  #runs = new Set();

  constructor(where, driver) {
    this.where = where;
    this.#driver = driver;
  }

  // Writes go one after the other, in the order in which they were called.
  #write(work) {
    const written = this.#last.then(work);
    this.#last = written.catch(() => {});
    return written;
  }

  // A run is not in that order, for its functions may write. It begins after the writes before it.
  async #run(options) {
    const ended = this.#last.then(() => run(this.#driver, options));
    const settled = ended.catch(() => {});
    this.#runs.add(settled);
    try {
      return await ended;
    } finally {
      this.#runs.delete(settled);
    }
  }

  async close() {
    await Promise.all(this.#runs);
    await this.#write(() => this.#driver.close());
  }

  [Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose')]() {
    return this.close();
  }

  branch(name = 'main') {
    return new Branch(name, async (make) => {
      const turn = make();
      const [id] = await this.#write(() => this.#driver.append([turn]));
      return new Appended(id);
    });
  }

  async transaction(body) {
    const turns = [];
    const made = [];
    let isOver = false;
    const add = (make) => {
      if (isOver) throw new SpoorError('invalid', 'the transaction has ended');
      turns.push(make());
      made.push(new Appended());
      return made.at(-1);
    };
    let result;
    try {
      result = await body({ branch: (name = 'main') => new Branch(name, add) });
    } finally {
      isOver = true;
    }
    if (turns.length > 0) {
      const ids = await this.#write(() => this.#driver.append(turns));
      ids.forEach((id, index) => Appended.settle(made[index], id));
    }
    return result;
  }

  async branches() {
    const { refs } = await this.call('refs', { prefix: HEADS });
    return refs.map(({ name }) => name.slice(HEADS.length));
  }

  async tip(branch = 'main') {
    return this.#driver.tip(branchOf(branch));
  }

  async resolve(revision) {
    return this.#driver.resolve(revisionOf(revision));
  }

  async content(hash) {
    if (!/^[0-9a-f]{64}$/i.test(textOf(hash, "'hash'"))) {
      throw new SpoorError('invalid', "'hash' must be 64 digits");
    }
    return this.#driver.content(hash.toLowerCase());
  }

  async show(revision = 'main') {
    return this.call('show', { rev: revisionOf(revision) });
  }

  async call(op, members = {}) {
    return this.#write(() => this.#driver.call({ ...members, op }));
  }

  async recordExchange(about, request, response) {
    const exchange = Buffer.concat([Buffer.from(JSON.stringify(about) + '\n'), request, response]);
    return this.#write(() => this.#driver.record(exchange));
  }

  async compile(revision = 'main', { includeReasoning, window, budget, ...options } = {}) {
    const answer = await this.#driver.compile(revisionOf(revision), {
      ...options, window: countOf(window, 'window'), budget: countOf(budget, 'budget'),
      include_reasoning: includeReasoning,
    });
    return options.to ? answer : promptOf(answer);
  }

  run(options) {
    return this.#run(options);
  }

  resume({ run = 'latest', ...options }) {
    return this.#run({ ...options, resume: run });
  }

  log(revision = 'main') {
    return turns(() => this.#driver.log(revisionOf(revision)));
  }

  async watch(branch = '', { timeout = Infinity, signal } = {}) {
    return moves(await this.#driver.watch(branchOf(branch)), timeout, signal);
  }
}

async function* turns(begin) {
  for await (const { tool_calls, call_id, is_error, ...turn } of begin()) {
    yield { ...turn, toolCalls: tool_calls, callId: call_id, isError: is_error };
  }
}

async function* moves({ look, end }, timeout, signal) {
  try {
    for (let since = Date.now(); ;) {
      const moved = signal?.aborted ? [] : await look();
      yield* moved;
      if (moved.length > 0) since = Date.now();
      if (signal?.aborted || Date.now() - since >= timeout) return;
      await sleep(Math.min(LOOK, timeout), undefined, { signal }).catch(() => {});  // Aborted: ends.
    }
  } finally {
    await end();
  }
}

const promptOf = (document) => ({
  commit: document.commit, hash: document.prompt_hash, tokens: document.tokens,
  leftOut: document.left_out,
  messages: document.messages.map((each) => ({
    role: each.role, text: each.text, toolCalls: each.tool_calls ?? [], callId: each.call_id ?? '',
    commit: each.hash,
  })),
});
