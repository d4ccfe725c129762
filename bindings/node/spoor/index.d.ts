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
  /**
   * Returns the time of new turns, in place of the system's clock; with the addon. If it throws, the
   * process emits a warning, and the time is that of 1970.
   */
  clock?: () => Date;
  /**
   * Gets each text before it is stored, with what it is (`text`, `fields`, `raw`, …: spoor_store_functions
   * in <spoor/c.h> has the list), and returns it without what must not be kept. If it throws, the process
   * emits a warning, and the write rejects with code `denied`. It may not return a promise. A byte that
   * is not UTF-8, as in an image, is one of U+DC80 to U+DCFF. With the addon.
   */
  scrub?: (slot: string, text: string) => string;
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

  /** Closes the store. Calls and runs in progress finish first; later ones reject with code `invalid`. */
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
   * Lets an agent work towards a goal, with every step committed; with the addon. The run has a thread
   * of its own, and its functions are called on that of the program.
   *
   * If `send`, `approve` or `onEvent` throws or rejects, the run stops and rejects with that error. An
   * error of the model or of a tool does not: it is in the result. Rejects with code `invalid` for
   * options that are wrong, and `not_found` for an unknown provider.
   */
  run(options: RunOptions & { goal: string }): Promise<RunResult>;

  /**
   * Goes on with a run whose process ended, that reached a limit, that was stopped, or that waits for a
   * person. `run` is its id or a prefix of it, by default `latest`; `approval` the answer that it waits
   * for; `tools` must be those of the run. What is recorded is neither asked nor called again.
   */
  resume(options: RunOptions & { run?: string; approval?: Approval }): Promise<RunResult>;

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

/** The options of a run. Those without a comment are described at spoor::RunOptions in <spoor/spoor.h>. */
export interface RunOptions {
  /** `PROVIDER/MODEL`. The key is in the provider's variable, such as ANTHROPIC_API_KEY. */
  model: string;
  /** By default `main`. */
  branch?: string;
  tools?: readonly Tool[];
  /** By default `react`. */
  strategy?: 'react' | 'plan_and_execute' | 'reflexion';
  /** Sends requests in place of the library. */
  send?: Send;
  /** Is asked about calls of tools with `needsApproval`. Without it the run waits for resume(). */
  approve?: Approve;
  /**
   * Gets what happens, as it happens: `started`, `asking`, `text`, `thinking`, `waiting`, `call`, `output`,
   * `result`, `warning`, `ended`. The run waits for it.
   */
  onEvent?: (event: string, text: string) => unknown;
  /**
   * Stops the run, which resolves with `stopped: 'interrupted'` and can be resumed. A function that was
   * called is not waited for; the model sees the call of a tool as failed.
   */
  signal?: AbortSignal;
  /** Text that is added after the system prompt. */
  instructions?: string;
  /** By default 10. */
  maxSteps?: number;
  /** Of this run and of all that it starts. */
  maxDollars?: number;
  maxTokens?: number;
  /** False: the model writes calls as JSON text. */
  nativeCalls?: boolean;
  strictRefs?: boolean;
  synthesize?: boolean;
  /** Adds the tools `memory.learn` and `memory.recall` of the agent with this name. */
  memoryOf?: string;
  /** Where the provider is, in place of its own address. */
  baseUrl?: string;
  /** Members of each request. */
  params?: Record<string, unknown>;
  /** Prices in dollars for a million tokens, such as `input=3 output=15`. */
  rates?: string;
}

/** A tool that a model may call. */
export interface Tool {
  /** Letters, digits, `_`, `-`, `.`; at most 64. */
  name: string;
  /** For the model: what it does and returns. */
  description: string;
  /** The arguments, an object: a JSON Schema, or a schema of zod 4.2 or later. Without it, none. */
  parameters?: Record<string, unknown> | Schema;
  /** It changes nothing: several calls may be in progress at once. */
  readOnly?: boolean;
  needsApproval?: boolean;
  /**
   * Gets arguments that fit `parameters`, as a schema of zod returns them. The model sees the result, as
   * JSON unless it is a string, or its promise's. If it throws or rejects, the model sees the error.
   */
  run(args: any): unknown;
}

/** A schema that can write itself as JSON Schema, such as zod's. */
export interface Schema {
  toJSONSchema(options?: any): object;
  parse(given: unknown): unknown;
  /** Is called in place of parse(), if it is there. */
  parseAsync?(given: unknown): Promise<unknown>;
}

/**
 * Gets the URL and the body of a request to a provider, JSON that does not ask for a stream; it adds the
 * key. Returns the response: fetch()'s, or the HTTP status and the body.
 */
export type Send = (url: string, body: Buffer) => Answer | Promise<Answer>;
export type Answer = Response | { status: number; body: string | Uint8Array };

/** Gets a tool and its arguments; returns a person's answer, or null if nobody is there. */
export type Approve = (tool: string, args: any) => Approval | null | Promise<Approval | null>;

/** A person's answer to a call that needs approval. The model is told the reason of a refusal. */
export interface Approval {
  allows: boolean;
  reason?: string;
}

/** The end of a run. Every step of it is committed. */
export interface RunResult {
  /** Its id, for `spoor debrief`. */
  run: string;
  /** `goal_achieved`, `max_steps`, `max_cost`, `error`, `interrupted`, … */
  stopped: string;
  /** The thing that ended it: `final_answer`, `critic`, … */
  by: string;
  answer: string | null;
  /** For a run without its goal: the best answer, or what was observed. */
  best: string;
  /** Only if `stopped` is `error`. */
  error: string;
  steps: Step[];
  dollars: number;
  tokens: number;
  /** False: a price or a count is unknown; it may have cost more. */
  isCostKnown: boolean;
  /** The tool whose call waits for a person; empty: none. */
  waitsFor: string;
  /** That call's arguments, JSON. */
  waitsWith: string;
}

/** A step of a run: a thought, a call and its result. */
export interface Step {
  /** Compile there to see what was known then. */
  commit: string;
  /** The model's answer with this call. */
  answer: string;
  /** The reason that the model gave for the call; may be empty. */
  why: string;
  thought: string;
  /** A tool, or `finish`. */
  action: string;
  /** JSON. */
  input: string;
  /** JSON; empty for `finish`. */
  observation: string;
  isError: boolean;
  /** The id of a run that the call started; may be empty. */
  started: string;
  /** The cost of the call itself, if it is known. */
  dollars: number | null;
}
