// Lists that are longer than a browser can lay out (page/src/scroll.ts), in a window that does what browsers do.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {pageSource} from './page_source.mjs';

const {Scroll} = await pageSource('scroll.ts');

const kHigh = 700;

// A window of kHigh pixels. Its place is a whole number and never out of the space, as in Chromium.
class Window {
  constructor(total) {
    this.total = total;
    this.scroll = new Scroll((step) => Math.abs(step) > 4 * kHigh);
    this.place = 0;
    this.scroll.to(this, 0, total);
  }

  get scrollTop() { return this.place; }
  set scrollTop(to) { this.place = Math.max(0, Math.min(Math.round(to), this.scroll.space(this.total) - kHigh)); }

  // A wheel or the scroll bar moves it.
  move(to) {
    this.scrollTop = to;
    this.scroll.scrolled(this, this.total);
    this.check();
  }

  // The page draws again.
  draw(top = this.scroll.top) {
    this.scroll.to(this, Math.max(0, Math.min(top, this.total - kHigh)), this.total);
    this.check();
  }

  check() {
    const {top} = this.scroll;
    assert.ok(top >= -1 && top <= this.total - kHigh + 1, `${top} of ${this.total}`);
    // What is at `top` is at the upper edge of the window.
    assert.ok(Math.abs(this.scroll.at(top) - this.place) <= 1, `${this.scroll.at(top)} and ${this.place}`);
  }
}

const kTotals = [7e6, 8e6 + 1, 9e6, 68e6, 6.8e9];

test('both ends are reached, by the bar and by steps', () => {
  for (const total of kTotals) {
    const window = new Window(total);
    window.move(1e12);
    assert.ok(Math.abs(window.scroll.top - (total - kHigh)) <= 1, String(total));
    window.draw();
    for (let i = 0; i < 50; ++i) {
      window.move(window.place - 120);
      window.draw();
    }
    assert.ok(Math.abs(window.scroll.top - (total - kHigh - 6000)) <= 51, String(total));
    window.move(0);
    assert.equal(window.scroll.top, 0);
  }
});

test('a step moves the list as far as the window', () => {
  for (const total of kTotals) {
    for (const part of [0, 0.001, 0.1, 0.25, 0.4, 0.5, 0.75, 0.99, 1]) {
      const window = new Window(total);
      window.draw(total * part);
      for (const step of [120, -120, 600, -600]) {
        const before = window.scroll.top;
        window.move(window.place + step);
        window.draw();
        const wanted = Math.max(0, Math.min(before + step, total - kHigh));
        assert.ok(Math.abs(window.scroll.top - wanted) <= 1, `${total} ${part} ${step}: ${window.scroll.top} for ${wanted}`);
      }
    }
  }
});

test('the bar reaches every place in proportion', () => {
  for (const total of kTotals) {
    const window = new Window(total);
    let last = -1;
    for (let place = 0; place <= 1000; ++place) {
      window.move(((window.scroll.space(total) - kHigh) * place) / 1000);
      window.draw();
      assert.ok(window.scroll.top > last, String(place));
      last = window.scroll.top;
    }
  }
});

test('a wheel never stops before an end, and the list may grow or change its height', () => {
  let seed = Number(process.env['SPOOR_SEED'] ?? 7);
  const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  for (const total of kTotals) {
    const window = new Window(total);
    for (let i = 0; i < 20_000; ++i) {
      const what = random();
      if (what < 0.01) window.draw(random() * window.total);
      else if (what < 0.02) window.move(random() * 8e6);
      else if (what < 0.1) window.total += Math.round(random() * 200 - 60);
      else window.move(window.place + Math.round((random() - 0.5) * 1400));
      window.draw();
    }
    // Far wheeling, in one direction, from the middle.
    window.draw(window.total / 2);
    const begun = window.scroll.top;
    for (let i = 0; i < 5000; ++i) {
      window.move(window.place - 2500);
      window.draw();
    }
    assert.ok(Math.abs(window.scroll.top - Math.max(0, begun - 5000 * 2500)) <= 5000, `${window.scroll.top} from ${begun}`);
  }
});
