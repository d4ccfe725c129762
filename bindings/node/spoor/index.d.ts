/**
 * Version control for what an agent was thinking: a store of turns, prompts and exact requests.
 *
 *     const store = await open('talk.spoor', { create: true });
 *     await store.transaction((t) => {
 *       const main = t.branch('main');
 *       main.user('hi');
 *       main.assistant('hello');
 *     });
 *     const prompt = await store.compile('main', { to: 'anthropic' });
 */
import type { Operations } from './operations.js';

export type { Operations };

/**
 * Opens a store: a file, or a store in PostgreSQL by its `postgres://` address. Rejects with code
 * `not_found` if there is none and `create` is not set.
 */
export function open(where: string, options?: OpenOptions): Promise<Store>;

export interface OpenOptions {
  /** Make the store if there is none. */
  create?: boolean;
  /** The author of turns that name none; by default `user`. */
  author?: string;
  /** Writes fail. For a file, with the addon. */
  readOnly?: boolean;
  /** A power cut may take the last commits, in return for faster ones. For a file, with the addon. */
  relaxed?: boolean;
}

/** How stores are opened: in this process, or by `spoor batch` in a child process, and then why. */
export const backend: { readonly name: 'addon' | 'batch'; readonly reason: string | null };

/**
 * Records every call of a client of `openai`, `@anthropic-ai/sdk` or `@google/genai`, also streams.
 *
 * Returns the client, which works as before. When a call, or its stream, has ended, its turns and
 * its exact request are in the store; keys are not. If recording fails, the call does not: the
 * process emits a warning. Retries are recorded too. Throws TypeError for any other client.
 */
export function record<Client extends object>(client: Client, store: Store): Client;

/** The word of an error, for programs. */
export type Code = 'not_found' | 'ambiguous' | 'conflict' | 'corrupt' | 'invalid' | 'denied' | 'io'
  | 'unavailable' | 'interrupted' | 'bug';

/** A failure of a store. */
export class SpoorError extends Error {
  constructor(code: Code, message: string, hint?: string);
  readonly code: Code;
  /** What to try next; may be empty. */
  readonly hint: string;
}

/**
 * An open store. Writes take effect one after the other, in the order of their calls; a read sees
 * what was written when it was called, and may not see writes that were not awaited.
 */
export interface Store {
  readonly where: string;

  /** Closes the store. Calls in progress finish first; later ones reject with code `invalid`. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;

  /** Returns a branch, which need not exist: its first turn makes it. By default `main`. */
  branch(name?: string): Branch<Promise<Appended>>;

  /**
   * Writes the turns that `body` adds as one transaction, over one or several branches: all, or none
   * if it throws or rejects. Nothing is written, and no lock is held, before `body` has ended.
   */
  transaction<Result>(body: (transaction: Transaction) => Result | Promise<Result>): Promise<Result>;

  /** Returns the names of all branches. */
  branches(): Promise<string[]>;

  /** Returns the id of the newest turn of a branch. */
  tip(branch?: string): Promise<string>;

  /** Returns the id of the turn that a revision names: `main~2`, `tag:x`, digits of an id. */
  resolve(revision: string): Promise<string>;

  /** Compiles the prompt at a revision, by default `main`: the same in every process. */
  compile(revision?: string, options?: CompileOptions & { to?: undefined }): Promise<Prompt>;
  compile(revision: string, options: CompileOptions & { to: 'openai' }): Promise<OpenAIMessage[]>;
  compile(revision: string, options: CompileOptions & { to: 'anthropic' }): Promise<AnthropicPrompt>;
  compile(revision: string, options: CompileOptions & { to: 'text' }): Promise<string>;

  /** Yields the turns of a branch, newest first, along first parents. */
  log(revision?: string): AsyncGenerator<Turn, void, undefined>;

  /** Returns all that one commit holds: the document of `spoor show --json`. */
  show(revision?: string): Promise<Operations['show']['result']>;

  /** Returns the bytes of a content, by the hash that show() names. */
  content(hash: string): Promise<Buffer>;

  /**
   * Begins to watch a branch (by default all), and yields what any writer adds, as it comes. Ends
   * if nothing comes for `timeout` milliseconds, or when `signal` is aborted.
   */
  watch(branch?: string, options?: { timeout?: number; signal?: AbortSignal }):
    Promise<AsyncGenerator<Moved, void, undefined>>;

  /** Runs an operation of `spoor batch` (docs/batch.md). */
  call<Op extends keyof Operations>(
    op: Op, ...members: {} extends Operations[Op]['members'] ? [members?: Operations[Op]['members']]
      : [members: Operations[Op]['members']]): Promise<Operations[Op]['result']>;

  /**
   * Runs an operation that has no types here: with the program `spoor` as the backend, every command
   * that prints a document.
   */
  call<Op extends string>(op: Op extends keyof Operations ? never : Op,
    members?: Record<string, unknown>): Promise<unknown>;

  /**
   * Records one exchange with a provider, as record() does for clients. `about` has the members that
   * spoor_record() in <spoor/c.h> lists.
   */
  recordExchange(about: Record<string, unknown>, request: Uint8Array, response: Uint8Array):
    Promise<Recorded>;
}

/**
 * A branch by its name. Each method appends a turn, as a transaction or as a part of one. Half of a
 * surrogate pair in a text becomes U+FFFD.
 */
export interface Branch<Result> {
  readonly name: string;
  /** Appends a turn of any type: system, user, reasoning, assistant, tool, artifact, summary, note, decision. */
  append(type: string, text: string, more?: TurnOptions): Result;
  system(text: string, more?: TurnOptions): Result;
  user(text: string, more?: TurnOptions): Result;
  /** Appends a model's reasoning: write it before its answer, in the same transaction. */
  reasoning(text: string, more?: TurnOptions): Result;
  /** Appends a model's answer, with the calls that it asks for. */
  assistant(text: string, toolCalls?: readonly ToolCall[], more?: TurnOptions): Result;
  /** Appends the result of a call. */
  tool(text: string, call: Pick<ToolCall, 'id' | 'name'>, more?: TurnOptions): Result;
}

export interface Transaction {
  branch(name?: string): Branch<Appended>;
}

/** A turn that was appended, or will be when its transaction ends. */
export interface Appended {
  /** The id of the turn. Throws code `invalid` before the transaction ended. */
  readonly id: string;
}

export interface TurnOptions {
  toolCalls?: readonly ToolCall[];
  callId?: string;
  name?: string;
  isError?: boolean;
  author?: string;
  /** No model is sent it. */
  metadata?: Record<string, unknown>;
}

/** A call of a tool that a model asks for. `arguments` is the model's own text, JSON. */
export interface ToolCall {
  id: string;
  name: string;
  arguments: string;
}

/** A commit of a branch. */
export interface Turn {
  id: string;
  /** system, user, reasoning, assistant, tool, note, edit, annotate, … */
  type: string;
  text: string;
  toolCalls: ToolCall[];
  callId: string;
  name: string;
  isError: boolean;
  author: string;
  time: Date | null;
  metadata: Record<string, unknown>;
}

export interface CompileOptions {
  /** With reasoning that no annotation skips. */
  includeReasoning?: boolean;
  /** Only the newest turns, this many. */
  window?: number;
  /** At most this many tokens. */
  budget?: number;
  /** Reject with code `conflict` if a merge left one. */
  strict?: boolean;
  /** A provider's own shape: `openai` (a list `messages`), `anthropic` or `text`. */
  to?: 'openai' | 'anthropic' | 'text';
}

/** The prompt at a commit. */
export interface Prompt {
  commit: string;
  /** Equal for equal prompts. */
  hash: string;
  tokens: number;
  messages: Message[];
  /** The turns that are not in it, and why. */
  leftOut: { hash: string; why: string }[];
}

export interface Message {
  role: string;
  text: string;
  toolCalls: ToolCall[];
  callId: string;
  /** The turn that it comes from. */
  commit: string;
}

/** A message of OpenAI's Chat Completions API. */
export interface OpenAIMessage {
  role: string;
  content?: unknown;
  [member: string]: unknown;
}

/** The members of a request to Anthropic's Messages API that the turns decide. */
export interface AnthropicPrompt {
  system?: unknown;
  messages: { role: 'user' | 'assistant'; content: unknown }[];
}

/** Turns that a branch has more than before: their ids, oldest first. */
export interface Moved {
  branch: string;
  turns: string[];
}

/** The branch and the turn of a recorded answer, or the reason why there is none. */
export interface Recorded {
  ref: string | null;
  answer: string | null;
  reason: string | null;
  known: boolean;
  model: string | null;
}
