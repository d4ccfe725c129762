// What the page asks `spoor open`: the operations of `spoor batch` (docs/batch.md), and its events.

import type {Commit, Message, Operations} from '../../bindings/node/spoor/operations';
import {NotSaved, type Saved} from './saved';

export type Json = Record<string, unknown>;

export class ApiError extends Error {
  constructor(readonly code: string, message: string, readonly hint: string) {
    super(message);
  }
}

const kStored = 'spoor-token';
let token = '';

export const tokenNow = (): string => token;

// The address of the page ends with `#TOKEN`, perhaps followed by a route. The token is taken out
// of the address at once, and kept for this tab alone. Tells whether there was one.
export function takeToken(): boolean {
  const found = /^#([A-Za-z0-9_-]{43})(\/.*)?$/.exec(location.hash);
  if (found) {
    token = found[1]!;
    sessionStorage.setItem(kStored, token);
    history.replaceState(null, '', '/#' + (found[2] ?? '/'));
  } else {
    token = sessionStorage.getItem(kStored) ?? '';
  }
  return found !== null;
}

let saved: Saved | null = null;

// From here on a file answers, not a server.
export function answerFrom(file: Saved): void {
  saved = file;
}

export const isSaved = (): boolean => saved !== null;

export const hasToken = (): boolean => token !== '' || isSaved();

export function setToken(text: string): void {
  token = /([A-Za-z0-9_-]{43})/.exec(text)?.[1] ?? '';
  sessionStorage.setItem(kStored, token);
}

// A new tab of the same page asks the others for the token.
export function shareToken(got: () => void): void {
  const channel = new BroadcastChannel('spoor');
  channel.onmessage = (event: MessageEvent<Json>) => {
    if (event.data['ask'] && token) channel.postMessage({token});
    if (typeof event.data['token'] === 'string' && !token) {
      setToken(event.data['token']);
      got();
    }
  };
  if (!token) channel.postMessage({ask: true});
}

// Of the page's two programs together.
const seen = ((globalThis as {spoorSeen?: {erasures?: number}}).spoorSeen ??= {});

// Takes how often something was erased from the store. If that is not what it was, nothing that was read before
// is shown any longer.
export function noteErasures(count: number): void {
  if (count !== (seen.erasures ??= count)) location.reload();
}

const kLong = 5000;  // Milliseconds, after which a reader is told that there is no answer yet.
const waits = new Set<(count: number) => void>();
let waiting = 0;

// How many questions have waited for long.
export function onWaiting(listener: (count: number) => void): () => void {
  waits.add(listener);
  listener(waiting);
  return () => waits.delete(listener);
}

function setWaiting(count: number): void {
  waiting = count;
  for (const each of waits) each(waiting);
}

// Tells the listeners if an answer takes long.
async function watched<T>(answer: Promise<T>): Promise<T> {
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    setWaiting(waiting + 1);
  }, kLong);
  try {
    return await answer;
  } finally {
    clearTimeout(timer);
    if (isLate) setWaiting(waiting - 1);
  }
}

export async function ask<T>(op: string, members: Json = {}, signal?: AbortSignal): Promise<T> {
  if (saved) {
    try {
      return saved.answer(op, members) as T;
    } catch (why) {
      throw why instanceof NotSaved ? new ApiError(why.code, why.message, why.hint) : why;
    }
  }
  const response = await watched(fetch('/api', {
    method: 'POST',
    headers: {'Authorization': 'Bearer ' + token, 'Content-Type': 'application/json'},
    body: JSON.stringify({op, ...members}),
    signal: signal ?? null,
    credentials: 'omit',
  })).catch((why: unknown) => {
    if (signal?.aborted) throw why;
    throw new ApiError('gone', 'spoor does not answer', "start it again: spoor open");
  });
  if (response.status === 401) {
    throw new ApiError('token', 'the token is not accepted', 'open the address that spoor open prints');
  }
  if (!response.ok) throw new ApiError('http', `status ${response.status}`, '');
  const answer = (await response.json()) as {result?: T; erasures?: number; error?: {code: string; message: string; hint: string}};
  if (answer.erasures !== undefined) noteErasures(answer.erasures);
  if (answer.error) throw new ApiError(answer.error.code, answer.error.message, answer.error.hint);
  return answer.result as T;
}

// ---- What the operations answer: the types that are made of docs/schema ----

export type Rows<Op extends keyof Operations, Key extends keyof Operations[Op]['result']> =
    Operations[Op]['result'][Key] extends (infer Row)[] ? Row : never;

export type SessionRow = Rows<'sessions', 'sessions'>;
export type CostRow = Rows<'cost', 'costs'>;
export type Chapter = Rows<'requests', 'requests'>;
export type Piece = Rows<'timeline', 'pieces'>;
export type Turn = Rows<'turns', 'turns'>;
export type TurnCall = Turn['calls'][number];
export type TurnEdit = TurnCall['edits'][number];
export type LineRow = Rows<'lines', 'lines'>;
export type TreeRow = Rows<'trees', 'trees'>;
export type VariantRow = Extract<Operations['compare']['result'], {variants: unknown}>['variants'][number];
export type AnswerRow = Rows<'answers', 'answers'>;
export type CallRow = Rows<'calls', 'calls'>;
export type EditRow = Rows<'file', 'edits'>;
export type DiffAnswer = Operations['diff']['result'];
export type Prompt = Operations['compile']['result'] & {messages: Message[]};
export type {Commit, Message};
