// Which words of changed lines differ: lines that were removed and added together are paired, and the
// words that only one of a pair has are marked. All of it takes a bounded number of steps, whatever the text.

// A part of a line, in UTF-16 units; `to` is not a part of it.
export type Part = [from: number, to: number];

const kMostSteps = 300_000;      // Of one diff.
const kMostPairSteps = 100_000;  // Of two lines.
const kMostChars = 10_000;       // A longer line has no marks.
const kMostText = 400_000;       // Nor has any line of a longer text.
const kAhead = 12;               // A line may be paired with one of this many that were added.
const kAlike = 0.5;              // The least share of letters and digits that a pair has in common.

interface Work {
  left: number;
}

// A word with its combining characters, white space, or one character as a reader counts them.
const kToken = /[\p{L}\p{N}_][\p{L}\p{N}\p{M}_\u200c\u200d]*|\s+|\p{RI}\p{RI}|[^](?:\p{M}|\p{EMod}|\u200d[^])*/gu;

interface Line {
  tokens: string[];
  letters: number[];  // Of each token; 0 for white space and signs.
  sum: number;
}

function lineOf(text: string, work: Work): Line | null {
  if (text.length > kMostChars) return null;
  work.left -= text.length;
  const tokens = text.match(kToken) ?? [];
  const letters = tokens.map((token) => (/^[\p{L}\p{N}_]/u.test(token) ? token.length : 0));
  return {tokens, letters, sum: letters.reduce((sum, each) => sum + each, 0)};
}

// Tells for each entry of two lists whether it is in their heaviest common sequence; null if that takes too long.
function common(a: string[], b: string[], weigh: (i: number) => number, most: number, work: Work): [boolean[], boolean[]] | null {
  let begin = 0;
  while (begin < Math.min(a.length, b.length) && a[begin] === b[begin]) ++begin;
  let [endA, endB] = [a.length, b.length];
  while (endA > begin && endB > begin && a[endA - 1] === b[endB - 1]) {
    --endA;
    --endB;
  }
  const [rows, columns] = [endA - begin, endB - begin];
  work.left -= a.length + b.length;
  if (rows * columns > Math.min(most, work.left)) return null;
  work.left -= rows * columns;
  const width = columns + 1;
  const best = new Uint32Array((rows + 1) * width);
  for (let i = rows - 1; i >= 0; --i) {
    const weight = weigh(begin + i);
    for (let j = columns - 1; j >= 0; --j) {
      const at = i * width + j;
      best[at] = a[begin + i] === b[begin + j] ? best[at + width + 1]! + weight : Math.max(best[at + width]!, best[at + 1]!);
    }
  }
  const inA = a.map((_, i) => i < begin || i >= endA);
  const inB = b.map((_, j) => j < begin || j >= endB);
  for (let i = 0, j = 0; i < rows && j < columns;) {
    const at = i * width + j;
    if (a[begin + i] === b[begin + j]) inA[begin + i++] = inB[begin + j++] = true;
    else if (best[at + width]! >= best[at + 1]!) ++i;
    else ++j;
  }
  return [inA, inB];
}

// The parts of a line that are not in common. White space between two of them belongs to them.
function partsOf(tokens: string[], isCommon: boolean[]): Part[] {
  const parts: Part[] = [];
  let at = 0;
  tokens.forEach((token, i) => {
    const last = parts[parts.length - 1];
    if (!isCommon[i]) {
      const isNext = last && (last[1] === at || (last[1] === at - (tokens[i - 1]?.length ?? 0) && tokens[i - 1]!.trim() === ''));
      if (isNext) last[1] = at + token.length;
      else parts.push([at, at + token.length]);
    }
    at += token.length;
  });
  return parts;
}

// Returns what differs in two lines; null if they have little in common.
function compare(a: Line, b: Line, work: Work): [Part[], Part[]] | null {
  const isAlike = (letters: number): boolean => letters > 0 && letters * 2 >= kAlike * (a.sum + b.sum);
  if (!isAlike(Math.min(a.sum, b.sum))) return null;
  const weigh = (i: number): number => a.letters[i]! + (a.tokens[i]!.trim() === '' ? 1 : 2);
  const found = common(a.tokens, b.tokens, weigh, kMostPairSteps, work);
  if (!found) return null;
  const letters = a.letters.reduce((sum, each, i) => sum + (found[0][i] ? each : 0), 0);
  return isAlike(letters) ? [partsOf(a.tokens, found[0]), partsOf(b.tokens, found[1])] : null;
}

// The parts of each line that differ from the line it became, or was. Null: it is paired with none.
type Marks = (Part[] | null)[];

// Pairs lines that were removed with lines that were added in their place, in their order.
function pair(removed: string[], added: string[], work: Work): [Marks, Marks] {
  const marks: [Marks, Marks] = [removed.map(() => null), added.map(() => null)];
  const lines = new Map<number, Line | null>();
  let next = 0;
  removed.forEach((text, i) => {
    const line = next < added.length && work.left > 0 ? lineOf(text, work) : null;
    for (let j = next; line && j < Math.min(added.length, next + kAhead) && work.left > 0; ++j) {
      let other = lines.get(j);
      if (other === undefined) lines.set(j, other = lineOf(added[j]!, work));
      const found = other && compare(line, other, work);
      if (!found) continue;
      [marks[0][i], marks[1][j]] = found;
      next = j + 1;
      break;
    }
  });
  return marks;
}

// Returns what differs in each line of a unified diff, from 0: the sign is not a part of it. Other lines than
// changed ones have nothing; nor has any line of a diff that would take too long.
export function marksInDiff(lines: string[]): Part[][] {
  const marks: Part[][] = lines.map(() => []);
  const work: Work = {left: kMostSteps};
  const run = (from: number, sign: string): number => {
    let to = from;
    while (lines[to]?.[0] === sign) ++to;
    return to;
  };
  const text = (line: string): string => line.slice(1);
  for (let at = 0; at < lines.length && work.left > 0;) {
    const middle = run(at, '-');
    // The note about a missing line end is between the two.
    const begin = middle > at && lines[middle]?.[0] === '\\' ? middle + 1 : middle;
    const end = run(begin, '+');
    if (middle > at && end > begin) {
      const [removed, added] = pair(lines.slice(at, middle).map(text), lines.slice(begin, end).map(text), work);
      removed.forEach((parts, i) => { marks[at + i] = parts ?? []; });
      added.forEach((parts, i) => { marks[begin + i] = parts ?? []; });
    }
    at = Math.max(end, at + 1);
  }
  return work.left > 0 ? marks : lines.map(() => []);
}

// Returns what differs in each line of two texts. A line that only one of them has differs as a whole. Null if it
// would take too long.
export function marksInTexts(before: string, after: string): [Part[][], Part[][]] | null {
  if (before.length + after.length > kMostText) return null;
  const work: Work = {left: kMostSteps};
  const [a, b] = [before.split('\n'), after.split('\n')];
  const found = common(a, b, (i) => Math.min(a[i]!.trim().length, 1000) + 1, kMostSteps / 2, work);
  if (!found) return null;
  const marks: [Part[][], Part[][]] = [a.map(() => []), b.map(() => [])];
  const run = (isCommon: boolean[], from: number): number => {
    let to = from;
    while (to < isCommon.length && !isCommon[to]) ++to;
    return to;
  };
  for (let i = 0, j = 0; i < a.length || j < b.length; ++i, ++j) {
    const [endA, endB] = [run(found[0], i), run(found[1], j)];
    const [removed, added] = pair(a.slice(i, endA), b.slice(j, endB), work);
    const whole = (line: string): Part[] => (line ? [[0, line.length]] : []);
    removed.forEach((parts, k) => { marks[0][i + k] = parts ?? whole(a[i + k]!); });
    added.forEach((parts, k) => { marks[1][j + k] = parts ?? whole(b[j + k]!); });
    [i, j] = [endA, endB];
  }
  return work.left > 0 ? marks : null;
}
