// Which words of changed lines the page marks (page/src/words.ts).
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {pageSource} from './page_source.mjs';

const words = await pageSource('words.ts');

// A diff with its marks in brackets.
const marked = (...lines) => words.marksInDiff(lines).map((parts, i) => {
  let text = lines[i];
  for (const [from, to] of parts.toReversed()) text = `${text.slice(0, from + 1)}[${text.slice(from + 1, to + 1)}]${text.slice(to + 1)}`;
  return text;
});
const nothing = (lines) => assert.ok(words.marksInDiff(lines).every((parts) => parts.length === 0));
const took = (act) => {
  const begun = performance.now();
  act();
  return performance.now() - begun;
};

test('a changed word is marked in both lines', () => {
  assert.deepEqual(marked('-    total = round(price * count, 2)', '+    total = round(cents * count, 2)'),
                   ['-    total = round([price] * count, 2)', '+    total = round([cents] * count, 2)']);
});

test('what one line has more is marked in it alone', () => {
  assert.deepEqual(marked('-def total(lines):', '+def total(lines, percent_off=0):'), ['-def total(lines):', '+def total(lines[, percent_off=0]):']);
});

test('white space between two marks belongs to them', () => {
  assert.deepEqual(marked('-the answer is not known yet today', '+the answer is forty two today'),
                   ['-the answer is [not known yet] today', '+the answer is [forty two] today']);
});

test('a change of indentation is marked', () => {
  assert.deepEqual(marked('-  return value', '+    return value'), ['-[  ]return value', '+[    ]return value']);
});

test('lines with little in common are not marked', () => {
  nothing(['-import os', '+class Cart(object):', ' context']);
  nothing(['-a = 1;', '+b = 2;']);
  nothing(['-}', '+});']);
});

test('lines are paired in their order, also with another number of them', () => {
  assert.deepEqual(marked('-first = read(path)', '-second = write(path)', '+# A comment that is new.', '+first = read(name)', '+second = write(name)'),
                   ['-first = read([path])', '-second = write([path])', '+# A comment that is new.', '+first = read([name])', '+second = write([name])']);
});

test('only lines that follow each other are paired', () => {
  nothing(['-total = price', ' context', '+total = cents']);
  nothing(['+total = price', '-total = cents']);
  nothing([' total = price', '@@ -1 +1 @@', '\\ No newline at end of file', '']);
});

test('a line without an end is paired, too', () => {
  assert.deepEqual(marked('-let total = 1', '\\ No newline at end of file', '+let total = 2'), ['-let total = [1]', '\\ No newline at end of file', '+let total = [2]']);
});

test('no mark begins or ends within a character', () => {
  const cases = [['-smile 😀 here', '+smile 😁 here'], ['-cafe\u0301 is open', '+cafe is open'], ['-flag 🇩🇪 here', '+flag 🇩🇰 here'],
                 ['-the 👩‍💻 works', '+the 👩‍🚀 works'], ['-wave 👋🏻 here', '+wave 👋🏿 here'], ['-lone \ud83d half', '+lone \ud83e half']];
  const segmenter = new Intl.Segmenter('en', {granularity: 'grapheme'});
  for (const lines of cases) {
    words.marksInDiff(lines).forEach((parts, i) => {
      const text = lines[i].slice(1);
      const ends = new Set([...segmenter.segment(text)].map((each) => each.index).concat(text.length));
      assert.ok(parts.length > 0, lines[i]);
      for (const each of parts.flat()) assert.ok(ends.has(each), `${lines[i]} ${each}`);
    });
  }
});

test('long lines and long hunks take bounded time, and have no marks', () => {
  const long = 'a b '.repeat(250_000);
  assert.ok(took(() => nothing([`-${long}x`, `+${long}y`])) < 3000);
  const many = (sign) => Array.from({length: 5000}, (_, i) => `${sign}line ${i} ${'word '.repeat(20)}${sign}${i}`);
  assert.ok(took(() => nothing([...many('-'), ...many('+')])) < 3000);
  const same = (sign) => Array.from({length: 5000}, () => `${sign}${'( '.repeat(300)}${sign}${'a '.repeat(300)}`);
  assert.ok(took(() => nothing([...same('-'), ...same('+')])) < 3000);
  assert.ok(took(() => nothing(Array.from({length: 200_000}, (_, i) => (i % 2 ? '+' : '-') + 'x' + i))) < 3000);
  assert.ok(took(() => nothing([`-${'\u0301'.repeat(1_000_000)}`, `+${'\u200d'.repeat(1_000_000)}`])) < 3000);
  assert.ok(took(() => nothing([`-a${'\u0301'.repeat(9_000)}`, `+${'\u200d'.repeat(9_000)}a`])) < 3000);
});

test('two texts are compared line by line, and what only one has is marked as a whole', () => {
  const [before, after] = words.marksInTexts('one\ntwo words here\nthree\n\nfour', 'zero\none\ntwo texts here\nthree\n\nfour\nfive');
  assert.deepEqual(before, [[], [[4, 9]], [], [], []]);
  assert.deepEqual(after, [[[0, 4]], [], [[4, 9]], [], [], [], [[0, 4]]]);
  assert.deepEqual(words.marksInTexts('', ''), [[[]], [[]]].map((each) => [each[0]]));
});

test('two texts that are too long are not compared', () => {
  assert.equal(words.marksInTexts('a\n'.repeat(200_000), 'b'), null);
  const lines = (word) => Array.from({length: 5000}, (_, i) => `${word} ${i}`).join('\n');
  assert.ok(took(() => assert.equal(words.marksInTexts(lines('a'), lines('b')), null)) < 3000);
});
