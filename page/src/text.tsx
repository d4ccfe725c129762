// Text of the store as nodes. It is hostile: it becomes text and never markup.
import type {ComponentChildren, JSX} from 'preact';
import {useMemo} from 'preact/hooks';

import {marksInDiff, marksInTexts, type Part} from './words';

// Characters that a terminal or the layout of text might obey (C0, DEL, C1, and those that change
// the direction of text) are shown by their number.
const kObeyed = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

export function plain(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(/\r$/, '')
      .replace(kObeyed, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

export const oneLine = (text: string): string => plain(text.replace(/\s+/g, ' ').trim());

export const lineCount = (text: string): number => (text === '' ? 0 : text.replace(/\n$/, '').split('\n').length);

// Returns the first lines of a text, cut at a number of characters, too.
export function head(text: string, lines: number, chars = lines * 240): string {
  let end = 0;
  for (let i = 0; i < lines; ++i) {
    const next = text.indexOf('\n', end);
    if (next < 0) {
      end = text.length;
      break;
    }
    end = next + 1;
  }
  return text.slice(0, Math.min(end, chars)).replace(/\n$/, '');
}

// ---- Terminal colours ----

interface Look {
  fore: string;
  back: string;
  bold: boolean;
  faint: boolean;
  italic: boolean;
  under: boolean;
}

const kPlain: Look = {fore: '', back: '', bold: false, faint: false, italic: false, under: false};

function colour(codes: number[]): string | null {
  if (codes[0] === 5 && codes[1] !== undefined && codes[1] >= 0 && codes[1] < 256) {
    codes.splice(1, 0);
    const n = codes[1];
    if (n < 16) return `t${n}`;
    if (n >= 232) return n < 244 ? 't8' : 't7';
    // The cube of 6³ colours, as the nearest of the sixteen.
    const [r, g, b] = [Math.floor((n - 16) / 36), Math.floor((n - 16) / 6) % 6, (n - 16) % 6];
    return nearest(r * 51, g * 51, b * 51);
  }
  if (codes[0] === 2 && codes.length >= 4) return nearest(codes[1]!, codes[2]!, codes[3]!);
  return null;
}

function nearest(r: number, g: number, b: number): string {
  const most = Math.max(r, g, b);
  if (most - Math.min(r, g, b) < 40) return most < 90 ? 't8' : 't7';
  const bits = (r > most * 0.6 ? 1 : 0) | (g > most * 0.6 ? 2 : 0) | (b > most * 0.6 ? 4 : 0);
  return `t${bits}`;
}

function apply(look: Look, parameters: string): Look {
  const codes = parameters.split(/[;:]/).map((word) => (word === '' ? 0 : Number(word)));
  let next = {...look};
  for (let i = 0; i < codes.length; ++i) {
    const code = codes[i]!;
    if (code === 0) next = {...kPlain};
    else if (code === 1) next.bold = true;
    else if (code === 2) next.faint = true;
    else if (code === 3) next.italic = true;
    else if (code === 4) next.under = true;
    else if (code === 22) next.bold = next.faint = false;
    else if (code === 23) next.italic = false;
    else if (code === 24) next.under = false;
    else if (code >= 30 && code <= 37) next.fore = `t${code - 30}`;
    else if (code >= 90 && code <= 97) next.fore = `t${code - 82}`;
    else if (code === 39) next.fore = '';
    else if (code >= 40 && code <= 47) next.back = `t${code - 40}`;
    else if (code >= 100 && code <= 107) next.back = `t${code - 92}`;
    else if (code === 49) next.back = '';
    else if (code === 38 || code === 48) {
      const found = colour(codes.slice(i + 1));
      if (found) next[code === 38 ? 'fore' : 'back'] = found;
      i += codes[i + 1] === 5 ? 2 : 4;
    }
  }
  return next;
}

// Parses SGR and drops every other sequence of a terminal; what a carriage return overwrites is
// dropped as a terminal would.
const kSequence =
    // CSI; OSC, DCS, SOS, PM, APC up to their end; other escapes.
    /\u001b\[([0-?]*)([ -/]*)([@-~])|\u001b[\]PX^_][^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|\u001b[ -/]*[0-~]?|\u009b[0-?]*[ -/]*[@-~]/g;

export function Terminal({text}: {text: string}): JSX.Element {
  const source = text.replace(/[^\n]*\r(?!\n)(?=[^\r\n])/g, '').replace(/\r/g, '');
  const parts: ComponentChildren[] = [];
  let look = kPlain;
  let from = 0;
  const push = (piece: string): void => {
    if (piece === '') return;
    const names = [look.fore && 'f-' + look.fore, look.back && 'b-' + look.back, look.bold && 'bold',
                   look.faint && 'faint', look.italic && 'italic', look.under && 'under'].filter(Boolean);
    parts.push(names.length ? <span class={names.join(' ')}>{plain(piece)}</span> : plain(piece));
  };
  for (const found of source.matchAll(kSequence)) {
    push(source.slice(from, found.index));
    from = found.index + found[0].length;
    if (found[3] === 'm' && found[2] === '' && /^[\d;:]*$/.test(found[1]!)) look = apply(look, found[1]!);
  }
  push(source.slice(from));
  return <>{parts}</>;
}

export const withoutColours = (text: string): string => text.replace(kSequence, '');

// ---- Diffs ----

// A line with the words in it that changed.
function withMarks(line: string, parts: Part[]): ComponentChildren[] {
  const shown: ComponentChildren[] = [];
  let at = 0;
  for (const [from, to] of parts) {
    if (from >= line.length) break;
    shown.push(line.slice(at, from), <b class="word">{line.slice(from, to)}</b>);
    at = Math.min(to, line.length);
  }
  shown.push(line.slice(at));
  return shown;
}

export function Diff({text, most}: {text: string; most?: number | undefined}): JSX.Element {
  const lines = useMemo(() => text.replace(/\n$/, '').split('\n').map(plain), [text]);
  const marks = useMemo(() => marksInDiff(lines), [lines]);
  const kinds: Record<string, string> = {'+': 'added', '-': 'removed', '@': 'hunk', '\\': 'note'};
  return (
    <pre class="diff" tabIndex={0} aria-label="diff">
      {lines.slice(0, most).map((line, i) => (
        <span class={kinds[line[0] ?? ''] ?? ''}>{line.slice(0, 1)}{withMarks(line.slice(1), marks[i]!)}{'\n'}</span>))}
    </pre>
  );
}

// Two texts, one of which became the other, each cut by `cut`.
export function Changed({before, after, cut}: {before: string; after: string; cut: (text: string) => string}): JSX.Element {
  const marks = useMemo(() => marksInTexts(plain(before), plain(after)), [before, after]);
  const lines = (text: string, of: Part[][] | undefined): ComponentChildren[] =>
    cut(text).split('\n').map((line, i) => <>{i > 0 ? '\n' : ''}{withMarks(line, of?.[i] ?? [])}</>);
  return (
    <>
      <p class="plain removed">{lines(before, marks?.[0])}</p>
      <p class="plain added">{lines(after, marks?.[1])}</p>
    </>
  );
}

// ---- Prose ----

// The part of Markdown that models write most, as nodes: fences, headings, lists, quotes, tables as
// they are, and in a line code, strong and emphasis. Links stay text.
export function Prose({text}: {text: string}): JSX.Element {
  const blocks: JSX.Element[] = [];
  const lines = plain(text).split('\n');
  for (let i = 0; i < lines.length;) {
    const line = lines[i]!;
    const fence = /^\s*(```+|~~~+)\s*([^`]*)$/.exec(line);
    if (fence) {
      const mark = fence[1]!;
      const about = fence[2]!.trim();
      const ends = (each: string): boolean => each.startsWith(mark) && /^(`+|~+)$/.test(each);
      let end = i + 1;
      while (end < lines.length && !ends(lines[end]!.trim())) ++end;
      blocks.push(
        <pre class="code" tabIndex={0} aria-label={about || 'code'}>
          {about ? <span class="about-code">{about + '\n'}</span> : null}
          {lines.slice(i + 1, end).join('\n')}
        </pre>);
      i = end + 1;
      continue;
    }
    if (line.trim() === '') {
      ++i;
      continue;
    }
    const title = /^(#{1,6})\s+(.*)$/.exec(line);
    if (title) {
      blocks.push(<p class="title">{inline(title[2]!)}</p>);
      ++i;
      continue;
    }
    if (/^\s*\|.*\|\s*$/.test(line)) {
      let end = i;
      while (end < lines.length && /^\s*\|/.test(lines[end]!)) ++end;
      blocks.push(<pre class="code" tabIndex={0} aria-label="table">{lines.slice(i, end).join('\n')}</pre>);
      i = end;
      continue;
    }
    const item = /^(\s*)([-*+]|\d{1,4}[.)])\s+(.*)$/;
    if (item.test(line)) {
      const items: JSX.Element[] = [];
      while (i < lines.length) {
        const found = item.exec(lines[i]!);
        if (!found) break;
        let body = found[3]!;
        ++i;
        while (i < lines.length && /^\s+\S/.test(lines[i]!) && !item.test(lines[i]!)) body += ' ' + lines[i++]!.trim();
        const depth = Math.min(Math.floor(found[1]!.length / 2), 4);
        items.push(<li class={`d${depth}`}><span class="mark">{/\d/.test(found[2]!) ? found[2] : '•'}</span><span>{inline(body)}</span></li>);
      }
      blocks.push(<ul>{items}</ul>);
      continue;
    }
    if (/^>\s?/.test(line)) {
      let end = i;
      while (end < lines.length && /^>/.test(lines[end]!)) ++end;
      blocks.push(<blockquote>{inline(lines.slice(i, end).map((each) => each.replace(/^>\s?/, '')).join('\n'))}</blockquote>);
      i = end;
      continue;
    }
    let end = i + 1;
    while (end < lines.length && lines[end]!.trim() !== '' && !/^\s*(```|~~~)|^#{1,6}\s|^>/.test(lines[end]!) && !item.test(lines[end]!)) ++end;
    blocks.push(<p>{inline(lines.slice(i, end).join('\n'))}</p>);
    i = end;
  }
  return <div class="prose">{blocks}</div>;
}

function inline(text: string): ComponentChildren[] {
  const parts: ComponentChildren[] = [];
  let from = 0;
  for (const found of text.matchAll(/`([^`\n]+)`|\*\*([^*\n]+)\*\*|(?<![\w*])\*([^*\s][^*\n]*)\*(?![\w*])/g)) {
    parts.push(text.slice(from, found.index));
    if (found[1] !== undefined) parts.push(<code>{found[1]}</code>);
    else if (found[2] !== undefined) parts.push(<strong>{found[2]}</strong>);
    else parts.push(<em>{found[3]}</em>);
    from = found.index + found[0].length;
  }
  parts.push(text.slice(from));
  return parts;
}

// Marks where a text that is searched for occurs.
export function Marked({text, what}: {text: string; what: string}): JSX.Element {
  if (what === '') return <>{text}</>;
  const parts: ComponentChildren[] = [];
  const lower = text.toLowerCase();
  const wanted = what.toLowerCase();
  let from = 0;
  for (let at = lower.indexOf(wanted); at >= 0 && parts.length < 100; at = lower.indexOf(wanted, from)) {
    parts.push(text.slice(from, at), <mark>{text.slice(at, at + wanted.length)}</mark>);
    from = at + wanted.length;
  }
  parts.push(text.slice(from));
  return <>{parts}</>;
}
