// The turns of a line by position, read in windows as they are needed.
import {ask, type Commit, type Turn} from './api';

const kWindow = 50;
const kMostWindows = 160;  // 8000 turns, a few MB.
const kChars = 2400;

// The beginning of a view is asked for before there is anything to draw it: `early.ts` does so before the page's
// program is here, as a program of its own.
type Early = Map<string, Promise<unknown>>;
const early = ((globalThis as {spoorEarly?: Early}).spoorEarly ??= new Map());

function read(revision: string, w: number): Promise<{turns: Turn[]}> {
  return ask<{turns: Turn[]}>('turns', {revision, from: w * kWindow, limit: kWindow, chars: kChars});
}

function readLog(revision: string): Promise<{commits: Commit[]}> {
  return ask<{commits: Commit[]}>('log', {rev: revision, limit: 1, all_commits: true});
}

export function readEarly(revision: string, position: number): void {
  const begin = (key: string, reading: () => Promise<unknown>): void => {
    if (early.has(key)) return;
    const begun = reading();
    begun.catch(() => undefined);
    early.set(key, begun);
  };
  const w = Math.floor(position / kWindow);
  begin(`tip ${revision}`, () => readLog(revision));
  begin(`${w} ${revision}`, () => read(revision, w));
}

// The rest is old from here on.
export const endEarly = (): void => early.clear();

// An answer that was asked for early, once.
function take<T>(key: string): Promise<T> | undefined {
  const begun = early.get(key) as Promise<T> | undefined;
  early.delete(key);
  return begun;
}

// The last commit of a line; none if nothing is on it yet.
export function readTip(revision: string): Promise<{commits: Commit[]}> {
  return take<{commits: Commit[]}>(`tip ${revision}`) ?? readLog(revision);
}

export class Turns {
  private windows = new Map<number, Turn[] | null>();  // Least recently used first; null: asked for.
  private listeners = new Set<() => void>();

  constructor(readonly revision: string, public length: number) {}

  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  // Returns a turn if it is here.
  peek(position: number): Turn | undefined {
    return this.windows.get(Math.floor(position / kWindow))?.[position % kWindow];
  }

  // Asks for the turns of a range that are not here.
  want(from: number, to: number): void {
    for (let w = Math.floor(Math.max(0, from) / kWindow); w * kWindow <= Math.min(to, this.length - 1); ++w) {
      const known = this.windows.get(w);
      if (known !== undefined) {
        this.windows.delete(w);
        this.windows.set(w, known);
        continue;
      }
      void this.load(w);
    }
  }

  async get(position: number): Promise<Turn | undefined> {
    return this.peek(position) ?? (await this.load(Math.floor(position / kWindow)))[position % kWindow];
  }

  // The line has grown to `length`: its last window is read anew, as are results of late calls.
  async grow(length: number): Promise<void> {
    const old = this.length;
    this.length = length;
    for (let w = Math.floor(Math.max(0, old - 64) / kWindow); w * kWindow < length; ++w) {
      if (w * kWindow < old || (w + 1) * kWindow > length - 200) await this.load(w, true);
    }
  }

  // Marks changed: everything is read anew.
  forget(): void {
    this.windows.clear();
    this.changed();
  }

  private changed(): void {
    for (const each of this.listeners) each();
  }

  private async load(w: number, again = false): Promise<Turn[]> {
    if (!again) this.windows.set(w, null);
    try {
      const begun = take<{turns: Turn[]}>(`${w} ${this.revision}`);
      const {turns} = await (again ? undefined : begun) ?? await read(this.revision, w);
      const known = this.windows.get(w);
      if (again && known && known.length > turns.length) return known;  // It was asked for before that one.
      this.windows.delete(w);
      this.windows.set(w, turns);
      while (this.windows.size > kMostWindows) this.windows.delete(this.windows.keys().next().value!);
      this.changed();
      return turns;
    } catch (why) {
      if (!again) this.windows.delete(w);
      throw why;
    }
  }
}
