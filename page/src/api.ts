// What the page asks `spoor open`: the operations of `spoor batch` (docs/batch.md), and its events.

export type Json = Record<string, unknown>;

export class ApiError extends Error {
  constructor(readonly code: string, message: string, readonly hint: string) {
    super(message);
  }
}

const kStored = 'spoor-token';
let token = '';

// The address of the page ends with `#TOKEN`, perhaps followed by a route. The token is taken out
// of the address at once, and kept for this tab alone.
export function takeToken(): void {
  const found = /^#([A-Za-z0-9_-]{43})(\/.*)?$/.exec(location.hash);
  if (found) {
    token = found[1]!;
    sessionStorage.setItem(kStored, token);
    history.replaceState(null, '', '/#' + (found[2] ?? '/'));
  } else {
    token = sessionStorage.getItem(kStored) ?? '';
  }
}

export const hasToken = (): boolean => token !== '';

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

export async function ask<T>(op: string, members: Json = {}, signal?: AbortSignal): Promise<T> {
  const response = await fetch('/api', {
    method: 'POST',
    headers: {'Authorization': 'Bearer ' + token, 'Content-Type': 'application/json'},
    body: JSON.stringify({op, ...members}),
    signal: signal ?? null,
    credentials: 'omit',
  }).catch((why: unknown) => {
    if (signal?.aborted) throw why;
    throw new ApiError('gone', 'spoor does not answer', "start it again: spoor open");
  });
  if (response.status === 401) {
    throw new ApiError('token', 'the token is not accepted', 'open the address that spoor open prints');
  }
  if (!response.ok) throw new ApiError('http', `status ${response.status}`, '');
  const answer = (await response.json()) as {result?: T; error?: {code: string; message: string; hint: string}};
  if (answer.error) throw new ApiError(answer.error.code, answer.error.message, answer.error.hint);
  return answer.result as T;
}

export interface Moved {
  branch: string;
  head: string;
  position: number;
  turns: number;
}

type Listener = (moved: Moved) => void;
const listeners = new Set<Listener>();
const readies = new Set<() => void>();
const states = new Set<(live: boolean) => void>();
let live = false;

export function onMoved(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

// The store is followed from here on: what was read before may be old.
export function onReady(listener: () => void): () => void {
  readies.add(listener);
  return () => readies.delete(listener);
}

export function onLive(state: (live: boolean) => void): () => void {
  states.add(state);
  state(live);
  return () => states.delete(state);
}

function setLive(now: boolean): void {
  live = now;
  for (const each of states) each(now);
}

// Reads server-sent events by hand: EventSource sends no Authorization.
export async function follow(): Promise<never> {
  for (let wait = 500;; wait = Math.min(wait * 2, 10_000)) {
    try {
      const response = await fetch('/events', {headers: {'Authorization': 'Bearer ' + token}, credentials: 'omit'});
      if (response.ok && response.body) {
        const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
        let text = '';
        for (;;) {
          const {done, value} = await reader.read();
          if (done) break;
          text += value;
          for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
            const event = text.slice(0, end);
            text = text.slice(end + 2);
            if (!event.startsWith('data: ')) continue;
            const moved = JSON.parse(event.slice(6)) as Moved & {ready?: boolean};
            if (moved.ready) {
              wait = 500;
              setLive(true);
              for (const each of readies) each();
            } else {
              for (const each of listeners) each(moved);
            }
          }
        }
      }
    } catch {
      // It ended: below it is tried again.
    }
    setLive(false);
    await new Promise((done) => setTimeout(done, wait));
  }
}

// ---- What the operations answer (docs/schema) ----

export interface SessionRow {
  number: number;
  session: string;
  agent: string;
  id: string;
  title: string;
  project: string;
  outcome: string;
  started: string | null;
  ended: string | null;
  turns: number;
  requests: number;
  answers: number;
  calls: number;
  failed_calls: number;
  files: number;
  lines_added: number;
  lines_removed: number;
  models: string[];
  branches: string[];
  input_tokens: number;
  cache_read_tokens: number;
  cache_write_tokens: number;
  output_tokens: number;
  cost_usd: number | null;
  is_complete: boolean;
  head: string;
}

export interface CostRow {
  day?: string | null;
  model?: string | null;
  project?: string | null;
  agent?: string | null;
  answers: number;
  input_tokens: number;
  cache_read_tokens: number;
  cache_write_tokens: number;
  output_tokens: number;
  cost_usd: number | null;
  is_complete: boolean;
}

export interface Chapter {
  number: number;
  commit: string | null;
  position: number | null;
  time: string | null;
  ended: string | null;
  text: string;
  calls: number;
  failed_calls: number;
  output_tokens: number;
  cost_usd: number | null;
}

export interface Piece {
  from: number;
  to: number;
  started: string | null;
  ended: string | null;
  requests: number;
  answers: number;
  calls: number;
  failed_calls: number;
  failed_requests: number;
  decisions: number;
  compactions: number;
  model_ms: number;
  tool_ms: number;
  input_tokens: number;
  cache_read_tokens: number;
  cache_write_tokens: number;
  output_tokens: number;
  largest_prompt: number;
  cost_usd: number | null;
}

export interface TurnEdit {
  path: string;
  lines_added: number | null;
  lines_removed: number | null;
  diff: string;
}

export interface TurnCall {
  id: string;
  tool: string;
  target: string;
  arguments: string;
  outcome: string;
  exit_code: number | null;
  duration_ms: number | null;
  position: number | null;
  child_run: string;
  edits: TurnEdit[];
}

export interface Turn {
  position: number;
  commit: string;
  kind: string;
  time: string | null;
  author: string;
  model: string;
  text: string;
  text_bytes: number;
  is_injected: boolean;
  is_error: boolean;
  is_absent: boolean;
  is_erased: boolean;
  decision: string;
  priority: string;
  edited: boolean;
  summarised: boolean;
  calls: TurnCall[];
  attach: {hash: string; media_type: string}[];
  targets: string[];
  ends_answer: boolean;
  duration_ms: number | null;
  input_tokens: number | null;
  cache_read_tokens: number | null;
  cache_write_tokens: number | null;
  output_tokens: number | null;
  cost_usd: number | null;
  finish_reason: string;
}

export interface Commit {
  hash: string;
  depth: number;
  parents: string[];
  type: string;
  author: string | null;
  time: string | null;
  model: string | null;
  message: string;
  text: string | null;
  priority: string | null;
  edited: boolean;
  summarised: boolean;
  counterfactual: boolean | null;
  refs: string[];
  tokens: number;
  tool_calls: {id: string; name: string; arguments: string}[] | null;
  meta: Json | null;
  prompt: string | null;
}

export interface Message {
  role: string;
  type: string;
  hash: string | null;
  commits: string[];
  text: string | null;
  tool_calls: {id: string; name: string; arguments: string}[] | null;
  call_id: string | null;
  name: string | null;
  is_error: boolean;
  parts: {type: string; text: string}[] | null;
  pictures: {hash: string; media_type: string}[];
  priority: string | null;
  edited: boolean;
  tokens: number;
}

export interface Prompt {
  commit: string | null;
  prompt_hash: string;
  count: number;
  tokens: number;
  tokens_estimated: boolean;
  config: Json;
  left_out: {hash: string | null; why: string}[];
  left_out_counts?: Record<string, number>;
  coverage?: Json | null;
  messages: Message[];
}
