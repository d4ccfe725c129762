// The events of a store, as they happen. A browser has six connections to a server and a stream of events keeps
// one, so one tab reads the events and tells the others.
import {noteErasures, tokenNow} from './api';

export interface Moved {
  branch: string;
  head: string;
  position: number;
  turns: number;
}

// Events of the server, and messages of the tabs to each other.
type Said = Moved | {ready: true; erasures: number} | {erasures: number} | {live: boolean} | {asks: true};

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

function take(said: Said): void {
  if ('erasures' in said) noteErasures(said.erasures);
  if ('branch' in said) {
    for (const each of listeners) each(said);
  } else if ('ready' in said || ('live' in said && said.live && !live)) {
    setLive(true);
    for (const each of readies) each();
  } else if ('live' in said) {
    setLive(said.live);
  }
}

function setLive(now: boolean): void {
  live = now;
  for (const each of states) each(now);
}

// The tab that has the lock reads; the next one takes over when it is closed.
export function follow(): void {
  const name = `spoor events ${tokenNow()}`;
  const channel = new BroadcastChannel(name);
  let isReader = false;
  channel.onmessage = ({data}: MessageEvent<Said>) => {
    if (!('asks' in data)) take(data);
    else if (isReader) channel.postMessage({live});
  };
  channel.postMessage({asks: true});
  void navigator.locks.request(name, () => {
    isReader = true;
    return read((said) => {
      take(said);
      channel.postMessage(said);
    });
  });
}

// Reads server-sent events by hand: EventSource sends no Authorization.
async function read(say: (said: Said) => void): Promise<never> {
  for (let wait = 500;; wait = Math.min(wait * 2, 10_000)) {
    try {
      const response = await fetch('/events', {headers: {'Authorization': 'Bearer ' + tokenNow()}, credentials: 'omit'});
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
            const said = JSON.parse(event.slice(6)) as Said;
            if ('ready' in said) wait = 500;
            say(said);
          }
        }
      }
    } catch {
      // It ended: below it is tried again.
    }
    say({live: false});
    await new Promise((done) => setTimeout(done, wait));
  }
}
