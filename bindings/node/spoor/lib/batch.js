// A store in a child process, `spoor batch` (docs/batch.md). The same methods as lib/addon.js.
import { spawn } from 'node:child_process';
import { stat } from 'node:fs/promises';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { SpoorError } from './errors.js';

const program = () => process.env.SPOOR_PROGRAM || 'spoor';

// Runs the program to its end. Resolves to its standard error and its exit code.
function run(...args) {
  return new Promise((resolve, reject) => {
    const child = spawn(program(), args, { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text) => said += text);
    child.on('error', (error) => reject(missing(error)));
    child.on('close', (code) => resolve({ said, code }));
  });
}

const missing = (error) => new SpoorError(
  'unavailable', `cannot start '${program()}': ${error.message}`,
  'install spoor, or name the program in SPOOR_PROGRAM');

// Returns the error that the program printed when it ended.
function printed(said, code = 'unavailable') {
  const message = /^error: (.*)$/m.exec(said)?.[1] ?? 'the program spoor ended';
  return new SpoorError(code, message, /^hint: (.*)$/m.exec(said)?.[1]);
}

const needsAddon = (what) => new SpoorError('unavailable', `${what} need the addon`,
  "see 'backend.reason'; 'spoor run' lets an agent work from the command line");

const PAGE = 64;
const HEADS = 'refs/heads/';
const TYPES = ['system', 'user', 'reasoning', 'assistant', 'tool', 'artifact', 'summary', 'note', 'decision'];

export class BatchStore {
  static async open(where, { author = '', create = false, readOnly = false, relaxed = false, clock, scrub }) {
    if (clock || scrub) throw needsAddon("'clock' and 'scrub'");
    if (readOnly || relaxed) {
      throw new SpoorError('invalid', "'readOnly' and 'relaxed' need the addon");
    }
    if (await stat(where).then((found) => found.isDirectory(), () => false)) {  // The program takes the store in it.
      throw new SpoorError('invalid', `'${where}' is a folder`, "name the store's file");
    }
    const store = new BatchStore(where, author);
    let opened = await store.begin();
    if (opened.code === 'not_found' && create) {
      const { said, code } = await run('--store', where, 'init');  // Another process may have made it.
      opened = await store.begin();
      if (opened.code === 'not_found' && code !== 0) throw printed(said, 'not_found');
    }
    if (opened instanceof SpoorError) throw opened;
    return store;
  }

  constructor(where, author) {
    this.where = where;
    this.author = author;
  }

  // Starts the child. Resolves to the status of the store, or to the error.
  begin() {
    this.waiting = [];
    this.said = '';
    this.failure = undefined;
    this.child = spawn(program(), ['--store', this.where, 'batch'], { stdio: 'pipe' });
    this.child.stderr.setEncoding('utf8').on('data', (text) => this.said += text);
    this.child.stdin.on('error', () => {});  // The end of the child tells.
    createInterface({ input: this.child.stdout, crlfDelay: Infinity }).on('line', (line) => {
      const { resolve, reject } = this.waiting.shift();
      const { result, error } = JSON.parse(line);
      if (error) reject(new SpoorError(error.code, error.message, error.hint));
      else resolve(result);
      this.rest();
    });
    this.ended = new Promise((resolve) => {
      this.child.on('error', (error) => resolve(missing(error)));
      this.child.on('close', () => resolve(printed(this.said, this.closing ? 'interrupted'
        : /no store at/.test(this.said) ? 'not_found'
        : /is not a (spoor store|file)/.test(this.said) ? 'invalid' : 'unavailable')));
    }).then((error) => {
      this.failure = error;
      for (const { reject } of this.waiting.splice(0)) reject(error);
    });
    return this.call({ op: 'status' }).catch((error) => error);
  }

  // Lets the process end while no answer is waited for.
  rest() {
    const hold = this.waiting.length > 0 ? 'ref' : 'unref';
    for (const each of [this.child, this.child.stdout, this.child.stderr]) each[hold]?.();
  }

  async close() {
    this.check();
    this.closing = true;
    this.child.ref();
    this.child.stdin.end();
    await this.ended;
  }

  check() {
    if (this.closing) throw new SpoorError('invalid', 'the store is closed');
    if (this.failure) throw this.failure;
  }

  async call(request) {
    this.check();
    const line = JSON.stringify(request) + '\n';  // May throw: a call that is not sent waits for no answer.
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject });
      this.rest();
      this.child.stdin.write(line);
    });
  }

  async run() {
    throw needsAddon("'run' and 'resume'");
  }

  record(exchange) {
    return this.call({ op: 'record', exchange: exchange.toString('base64') });
  }

  async append(turns) {
    const ops = turns.map(({ type, author, ...members }) => {
      if (!TYPES.includes(type)) throw new SpoorError('invalid', `'${type}' is not a type of turns`);
      return { op: type, author: author || this.author || undefined, ...members };
    });
    if (ops.length === 1) return [(await this.call(ops[0])).hash];
    return (await this.call({ op: 'transaction', ops })).results.map(({ hash }) => hash);
  }

  async tip(branch) {
    const { refs } = await this.call({ op: 'refs', prefix: HEADS + branch });
    const found = refs.find(({ name }) => name === HEADS + branch);
    if (!found) throw new SpoorError('not_found', `no branch '${branch}'`);
    return found.hash;
  }

  async resolve(rev) {
    return (await this.call({ op: 'resolve', rev })).hash;
  }

  async content(hash) {
    return Buffer.from((await this.call({ op: 'content', hash })).base64, 'base64');
  }

  async compile(rev, { to, ...options }) {
    const given = Object.entries(options).filter(([, value]) => value);  // 0 is no limit.
    const answer = await this.call({ op: 'compile', rev, to, ...Object.fromEntries(given) });
    return to ? answer.body : answer;
  }

  async *log(revision) {
    let next = await this.resolve(revision);
    while (next) {
      const { depth } = await this.call({ op: 'show', rev: next });
      const revisions = Array.from({ length: Math.min(PAGE, depth + 1) }, (_, i) => `${next}~${i}`);
      const page = await Promise.all(revisions.map((rev) => this.call({ op: 'show', rev })));
      for (const shown of page) yield turnOf(shown);
      [next] = page.at(-1).parents;
    }
  }

  async watch(branch) {
    let before = await this.tips(branch);
    return {
      look: async () => {
        const tips = await this.tips(branch);
        const moved = [];
        for (const [name, hash] of tips) {
          if (before.get(name) === hash) continue;
          const not = [...before.values()];
          const { commits } = await this.call({ op: 'log', rev: hash, not, all_commits: true });
          moved.push({ branch: name, turns: commits.map((each) => each.hash).reverse() });
        }
        before = tips;
        return moved.filter(({ turns }) => turns.length > 0);
      },
      end: async () => {},
    };
  }

  // Returns the newest turns by branch: of one, or for an empty name of all.
  async tips(branch) {
    const { refs } = await this.call({ op: 'refs', prefix: HEADS + branch });
    const tips = refs.map(({ name, hash }) => [name.slice(HEADS.length), hash]);
    return new Map(tips.filter(([name]) => branch === '' || name === branch));
  }
}

const turnOf = (shown) => ({
  id: shown.hash, type: shown.type, text: shown.text ?? '', call_id: shown.call_id ?? '',
  name: shown.name ?? '', author: shown.author ?? '', is_error: shown.is_error ?? false,
  tool_calls: shown.tool_calls ?? [], metadata: shown.metadata ?? {},
  time: shown.time && new Date(shown.time),
});
