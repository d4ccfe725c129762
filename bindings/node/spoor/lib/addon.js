// A store in this process, by the addon. The same methods as lib/batch.js.
import { createRequire } from 'node:module';
import process from 'node:process';
import { SpoorError } from './errors.js';
import { storeAnswers } from './functions.js';

const require = createRequire(import.meta.url);

// Returns the file or package of the addon for this machine.
function place() {
  if (process.env.SPOOR_ADDON) return process.env.SPOOR_ADDON;
  const libc = process.report.getReport().header.glibcVersionRuntime ? 'gnu' : 'musl';
  const system = process.platform === 'linux' ? `linux-${process.arch}-${libc}`
                                              : `${process.platform}-${process.arch}`;
  return `@spoor/${system}`;
}

let addon;

/** Returns null, or the reason why there is no addon here. */
export function load() {
  if (process.env.SPOOR_ADDON === 'off') return 'SPOOR_ADDON is off';
  try {
    addon = require(place());
    addon.useError(SpoorError);
    process.on('exit', addon.functionsEnd);  // Or threads would wait for answers, and the process for them.
    return null;
  } catch (error) {
    return error.message.split('\n')[0];
  }
}

const PAGE = 256;

const NOTHING = Buffer.alloc(0);

// Lets the library ask `answers`, by a number. With `holds` the process does not end before release.
function connect(answers, holds) {
  const functions = addon.functionsMake((question, name, text, bytes) => {
    const settle = ([number, given = NOTHING]) => addon.functionsAnswer(functions, question, number, given);
    const answer = answers[name](text, bytes);
    if (answer instanceof Promise) answer.then(settle);
    else settle(answer);
  }, holds);
  return functions;
}

// Half of a surrogate pair becomes U+FFFD, as in a turn.
const wellFormed = (_, value) => typeof value === 'string' ? value.toWellFormed() : value;

export class AddonStore {
  static async open(where, { author = '', create = false, readOnly = false, relaxed = false, clock, scrub }) {
    const functions = clock || scrub ? connect(storeAnswers({ clock, scrub }), false) : 0n;
    try {
      const handle = await addon.open(where, author, create, readOnly, relaxed, functions, !!clock, !!scrub);
      return new AddonStore(handle, !/^postgres(ql)?:/.test(where), functions);
    } catch (error) {
      addon.functionsRelease(functions);
      throw error;
    }
  }

  constructor(handle, isFile, functions) {
    this.handle = handle;
    this.functions = functions;
    // The index of a file is read in microseconds, by this thread; a server answers later. A store
    // that asks this thread may never be called by it.
    this.isHere = isFile && functions === 0n;
  }

  async close() {
    await addon.close(this.handle);
    addon.functionsRelease(this.functions);
  }

  async run(request, answers, signal) {
    const functions = connect(answers, true);
    const stop = () => addon.functionsStop(functions);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop);
    try {
      return JSON.parse(await addon.run(this.handle, JSON.stringify(request, wellFormed), functions,
        'send' in answers, 'approve' in answers, 'event' in answers));
    } finally {
      signal.removeEventListener('abort', stop);
      addon.functionsRelease(functions);
    }
  }

  async call(request) {
    return JSON.parse(await addon.call(this.handle, JSON.stringify(request)));
  }

  async record(exchange) {
    return JSON.parse(await addon.record(this.handle, exchange));
  }

  append(turns) {
    return addon.append(this.handle, turns.map((turn) => [
      turn.branch, turn.type, turn.text, turn.tool_calls ? JSON.stringify(turn.tool_calls) : '',
      turn.call_id ?? '', turn.name ?? '', turn.metadata ? JSON.stringify(turn.metadata) : '',
      turn.author ?? '', turn.is_error ?? false,
    ]));
  }

  tip(branch) {
    return addon.tip(this.handle, branch, this.isHere);
  }

  resolve(revision) {
    return addon.resolve(this.handle, revision, this.isHere);
  }

  content(hash) {
    return addon.content(this.handle, Buffer.from(hash, 'hex'));
  }

  async compile(rev, { to = '', window = 0, budget = 0, include_reasoning = false, strict = false }) {
    const body = await addon.compile(this.handle, rev, to, window, budget, include_reasoning, strict);
    return to === 'text' ? body : JSON.parse(body);
  }

  async *log(revision) {
    const log = await addon.logOpen(this.handle, revision);
    try {
      for (let page; (page = await addon.logNext(log, PAGE)).length > 0;) {
        for (const [id, type, text, tool_calls, call_id, name, author, metadata, time, is_error] of page) {
          yield {
            id, type, text, call_id, name, author, is_error,
            tool_calls: tool_calls ? JSON.parse(tool_calls) : [],
            metadata: metadata ? JSON.parse(metadata) : {},
            time: time === null ? null : new Date(time / 1000),
          };
        }
      }
    } finally {
      await addon.logClose(log);
    }
  }

  /** Begins to watch. Returns a function that gives what was added since, and one that ends it. */
  async watch(branch) {
    const watch = await addon.watchOpen(this.handle, branch);
    return {
      look: async () => JSON.parse(await addon.watchNext(watch) ?? '[]'),
      end: () => addon.watchClose(watch),
    };
  }
}
