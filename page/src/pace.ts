// A task that is done again when something has changed, but takes a tenth of the time at most: reading a whole
// session again at each turn of an agent that runs would be all that the server does.
export class Paced {
  private state: 'idle' | 'busy' | 'again' = 'idle';
  private timer = 0;
  private readonly cancel = new AbortController();

  constructor(private readonly task: (signal: AbortSignal) => Promise<void>) {}

  // Does the task now, or soon if it was just done.
  wake(): void {
    if (this.state === 'idle') void this.run();
    else this.state = 'again';
  }

  end(): void {
    clearTimeout(this.timer);
    this.cancel.abort();
    this.state = 'busy';
  }

  private async run(): Promise<void> {
    this.state = 'busy';
    const begun = performance.now();
    await this.task(this.cancel.signal).catch(() => undefined);
    if (this.cancel.signal.aborted) return;
    this.timer = setTimeout(() => {
      const again = this.state === 'again';
      this.state = 'idle';
      if (again) this.wake();
    }, 9 * (performance.now() - begun));
  }
}
