import type { Store } from './index.js';

/** What `wrapLanguageModel` of the package `ai` (7 and later) takes as `middleware`. */
export interface RecordingMiddleware {
  readonly specificationVersion: 'v4';
  wrapGenerate(call: { doGenerate: () => PromiseLike<any>; params: any; model: any }): Promise<any>;
  wrapStream(call: { doStream: () => PromiseLike<any>; params: any; model: any }): Promise<any>;
}

/**
 * Returns a middleware that records every call of a model, also streams, in a store: the turns of the
 * conversation, and the body of the request where the provider's package gives it (`request.body`).
 *
 *     const model = wrapLanguageModel({ model: openai('gpt-5'), middleware: recordingMiddleware(store) });
 *
 * Calls of OpenAI's, Anthropic's and Google's APIs are kept as they were sent; those of other APIs as
 * calls of Chat Completions with the same texts, thoughts and tool calls. A body is marked as a copy, since it
 * was not seen on the wire. If recording fails, the call does not: the process emits a warning.
 */
export function recordingMiddleware(store: Store): RecordingMiddleware;
