// The turns of a line by position, read in windows as they are needed.
import {ask, type Commit, type Turn} from './api';

const kWindow = 50;
const kMostWindows = 160;  // 8000 turns, a few MB.
const kChars = 2400;

// The window that a page begins with is asked for before there is anything to draw it.
const early = new Map<string, Promise<{turns: Turn[]}>>();

function read(revision: string, w: number): Promise<{turns: Turn[]}> {
  return ask<{turns: Turn[]}>('turns', {revision, from: w * kWindow, limit: kWindow, chars: kChars});
}

let earlyTip: {revision: string; tip: Promise<{commits: Commit[]}>} | null = null;

// The last commit of a line; none if nothing is on it yet.
export function readTip(revision: string): Promise<{commits: Commit[]}> {
  const known = earlyTip;
  earlyTip = null;
  if (known?.revision === revision) return known.tip;
  return ask<{commits: Commit[]}>('log', {rev: revision, limit: 1, all_commits: true});
}

export function readEarly(revision: string, position: number): void {
  earlyTip = {revision, tip: readTip(revision)};
  earlyTip.tip.catch(() => undefined);
  const w = Math.floor(Math.max(0, position) / kWindow);
  const reading = read(revision, w);
  reading.catch(() => undefined);
  early.set(`${w} ${revision}`, reading);
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
      void this.load(w).catch(() => undefined);
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
      const key = `${w} ${this.revision}`;
      const reading = again ? undefined : early.get(key);
      early.delete(key);
      const {turns} = await (reading ?? read(this.revision, w));
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
