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
  return new Store(where, await Driver.open(where, options));
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

// A branch, in a transaction or not: `add` takes one turn, and gives an Appended or its promise.
class Branch {
  #add;

  constructor(name, add) {
    this.name = name;
    this.#add = add;
  }

  append(type, text, { toolCalls = [], callId, name, isError, author, metadata } = {}) {
    return this.#add({
      branch: this.name, type, text: text.toWellFormed(), name, author, metadata, call_id: callId, is_error: isError,
      tool_calls: toolCalls.length > 0 ? toolCalls : undefined,
    });
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
    return new Branch(name, async (turn) => {
      const [id] = await this.#write(() => this.#driver.append([turn]));
      return new Appended(id);
    });
  }

  async transaction(body) {
    const turns = [];
    const made = [];
    let isOver = false;
    const add = (turn) => {
      if (isOver) throw new SpoorError('invalid', 'the transaction has ended');
      turns.push(turn);
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
    return this.#driver.tip(branch);
  }

  async resolve(revision) {
    return this.#driver.resolve(revision);
  }

  async content(hash) {
    return this.#driver.content(hash);
  }

  show(revision = 'main') {
    return this.call('show', { rev: revision });
  }

  async call(op, members = {}) {
    return this.#write(() => this.#driver.call({ ...members, op }));
  }

  async recordExchange(about, request, response) {
    const exchange = Buffer.concat([Buffer.from(JSON.stringify(about) + '\n'), request, response]);
    return this.#write(() => this.#driver.record(exchange));
  }

  async compile(revision = 'main', { includeReasoning, ...options } = {}) {
    const answer = await this.#driver.compile(
      revision, { ...options, include_reasoning: includeReasoning });
    return options.to ? answer : promptOf(answer);
  }

  run(options) {
    return this.#run(options);
  }

  resume({ run = 'latest', ...options }) {
    return this.#run({ ...options, resume: run });
  }

  log(revision = 'main') {
    return turns(this.#driver.log(revision));
  }

  async watch(branch = '', { timeout = Infinity, signal } = {}) {
    return moves(await this.#driver.watch(branch), timeout, signal);
  }
}

async function* turns(entries) {
  for await (const { tool_calls, call_id, is_error, ...turn } of entries) {
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
