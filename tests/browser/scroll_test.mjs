// Lists that are longer than a browser can lay out (page/src/scroll.ts), in a window that does what browsers do.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {pageSource} from './page_source.mjs';

const {Scroll} = await pageSource('scroll.ts');

const kHigh = 700;

// A window of kHigh pixels. Its place is a whole number and never out of the space, as in Chromium.
class Window {
  clientHeight = kHigh;
  firstElementChild = {style: {height: '0px'}};
  place = 0;

  constructor(total) {
    this.total = total;
    this.scroll = new Scroll((step) => Math.abs(step) > 4 * kHigh);
    this.scroll.to(this, 0, total);
  }

  get space() { return parseFloat(this.firstElementChild.style.height); }
  get scrollTop() { return this.place; }
  set scrollTop(to) {
    assert.ok(!this.isHeld, 'the place is set while somebody scrolls');
    this.place = Math.max(0, Math.min(Math.round(to), this.space - kHigh));
  }

  // A wheel or the scroll bar moves it, and goes on moving it until `rest`.
  move(to) {
    this.isHeld = false;
    this.scrollTop = to;
    this.isHeld = true;
    this.scroll.scrolled(this, this.total);
    this.draw();
  }

  // The page draws again.
  draw(top = this.scroll.top) {
    this.scroll.to(this, top, this.total);
    this.check();
  }

  rest() {
    this.isHeld = false;
    this.scroll.rest();
    this.draw();
  }

  seek(top) {
    this.rest();
    this.draw(top);
  }

  check() {
    const {top} = this.scroll;
    assert.ok(top >= 0 && top <= this.total - kHigh, `${top} of ${this.total}`);
    // What is at `top` is at the upper edge of the window.
    assert.ok(Math.abs(this.scroll.at(top) - this.place) <= 1, `${this.scroll.at(top)} and ${this.place}`);
    assert.ok(this.isHeld || this.total > 8e6 || this.space === this.total, 'a list that fits is scrolled as it is');
  }
}

const kTotals = [7e6, 8e6 + 1, 9e6, 68e6, 6.8e9];

test('both ends are reached, by the bar and by steps', () => {
  for (const total of kTotals) {
    const window = new Window(total);
    window.move(1e12);
    assert.equal(window.scroll.top, total - kHigh);
    for (let i = 0; i < 50; ++i) window.move(window.place - 120);
    assert.ok(Math.abs(window.scroll.top - (total - kHigh - 6000)) <= 51, String(total));
    window.move(0);
    assert.equal(window.scroll.top, 0);
  }
});

test('a step moves the list as far as the window', () => {
  for (const total of kTotals) {
    for (const part of [0, 0.001, 0.1, 0.25, 0.4, 0.5, 0.75, 0.99, 1]) {
      const window = new Window(total);
      window.seek(total * part);
      for (const step of [120, -120, 600, -600]) {
        const before = window.scroll.top;
        window.move(window.place + step);
        window.rest();
        const wanted = Math.max(0, Math.min(before + step, total - kHigh));
        assert.ok(Math.abs(window.scroll.top - wanted) <= 1, `${total} ${part} ${step}: ${window.scroll.top} for ${wanted}`);
      }
    }
  }
});

test('the bar reaches every place in proportion', () => {
  for (const total of kTotals.slice(1)) {
    const window = new Window(total);
    const space = window.space - kHigh;
    let last = -1;
    for (let place = 0; place <= 1000; ++place) {
      window.move(Math.round((space * place) / 1000));
      assert.ok(window.scroll.top > last, String(place));
      last = window.scroll.top;
    }
  }
});

test('a bar that is held reaches both ends while heights become known, in steps of any size', () => {
  for (const total of [3000, 27_000, 200_000, 2.7e6, 68e6]) {
    for (const steps of [15, 60, 1000]) {
      for (const factor of [3, 1.3, 0.7]) {
        const growth = Math.round(((factor - 1) * total) / steps / 2);
        const window = new Window(total);
        const space = window.space - kHigh;
        for (const back of [false, true]) {
          for (let i = 1; i <= steps; ++i) {
            window.total += growth;
            window.move(Math.round((space * (back ? steps - i : i)) / steps));
            window.draw(window.scroll.top + growth / 2);  // Half of them above the window.
          }
          assert.equal(window.scroll.top, back ? 0 : window.total - kHigh, `${total} ${steps} ${factor}`);
        }
      }
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
      if (what < 0.01) window.seek(random() * window.total);
      else if (what < 0.02) window.move(random() * 8e6);
      else if (what < 0.1) window.total += Math.round(random() * 200 - 60);
      else if (what < 0.2) window.rest();
      else window.move(window.place + Math.round((random() - 0.5) * 1400));
      window.draw();
    }
    // Far wheeling, in one direction, from the middle.
    window.seek(window.total / 2);
    const begun = window.scroll.top;
    for (let i = 0; i < 5000; ++i) {
      window.move(window.place - 2500);
      if (i % 10 === 9) window.rest();
    }
    assert.ok(Math.abs(window.scroll.top - Math.max(0, begun - 5000 * 2500)) <= 5000, `${window.scroll.top} from ${begun}`);
  }
});
