// The branches of a session: where they part, and what was edited, skipped, summarised and merged.
import type {JSX} from 'preact';
import {useEffect, useMemo, useRef, useState} from 'preact/hooks';

import {ask, type Commit, type LineRow, type Turn} from './api';
import {useMayWrite} from './actions';
import {Failure, Top, useVersion} from './app';
import {ago, count, grouped, short} from './format';
import {bind} from './keys';
import {useWidth} from './plot';
import {go, link} from './router';
import {oneLine} from './text';

interface Directive {
  line: string;
  position: number;
  kind: string;
  text: string;
  // The first turn that it changes: what was answered between it and here was told otherwise.
  target: number | null;
}

// A row of `spoor oplog --json`.
interface OperationRow {
  operation: string;
  time: string;
  actor: string;
  command: string;
  refs: {name: string; before: string | null; after: string | null}[];
}

const kKinds = ['edit', 'annotate', 'compress', 'merge', 'summary'];
const kMostDirectives = 60;

async function directivesOf(line: LineRow): Promise<Directive[]> {
  const {commits} = await ask<{commits: Commit[]}>('log', {
    rev: line.head, types: kKinds, all_commits: true, limit: kMostDirectives, ...(line.base ? {not: [line.base]} : {})});
  return Promise.all(commits.map(async (each) => {
    const {turns} = await ask<{turns: Turn[]}>('turns', {revision: each.hash, from: each.depth, limit: 1, chars: 200});
    const targets = await Promise.all((turns[0]?.targets ?? []).slice(0, 1).map((rev) => ask<Commit>('show', {rev}).catch(() => null)));
    return {line: line.name, position: each.depth, kind: each.type, text: each.message || turns[0]?.text || '',
            target: targets[0]?.depth ?? null};
  }));
}

export function GraphView({session}: {session: string}): JSX.Element {
  const [lines, setLines] = useState<LineRow[] | null>(null);
  const [marks, setMarks] = useState<Directive[]>([]);
  const [error, setError] = useState<unknown>(null);
  const [version, changed] = useVersion();
  const [chosen, drawChosen] = useState(0);
  const place = useRef(0);
  const setChosen = (at: number): void => {
    place.current = at;
    drawChosen(at);
  };
  const [pair, setPair] = useState<string[]>([]);
  useEffect(() => { document.title = `branches of ${session} · spoor`; }, [session]);
  useEffect(() => {
    const cancel = new AbortController();
    ask<{lines: LineRow[]}>('lines', {revision: [session]}, cancel.signal).then(async (answer) => {
      setLines(answer.lines);
      const found = await Promise.all(answer.lines.slice(0, 60).map((line) => directivesOf(line).catch(() => [])));
      if (!cancel.signal.aborted) setMarks(found.flat());
    }, (why: unknown) => { if (!cancel.signal.aborted) setError(why); });
    return () => cancel.abort();
  }, [session, version]);
  const all = lines ?? [];
  const choose = (line: LineRow): void => setPair((before) =>
    before.includes(line.name) ? before.filter((each) => each !== line.name) : [...before, line.name].slice(-2));
  useEffect(() => bind('graph', {
    'j': () => setChosen(Math.min(all.length - 1, place.current + 1)),
    'k': () => setChosen(Math.max(0, place.current - 1)),
    'Enter': () => { if (all[place.current]) go(link('session', all[place.current]!.name)); },
    'm': () => { if (all[place.current]) choose(all[place.current]!); },
    'Escape': () => go(link('session', session)),
  }));
  return (
    <>
      <Top><a href={link('sessions')}>sessions</a><a href={link('session', session)}>{oneLine(session)}</a><span aria-current="page">branches</span></Top>
      <main class="flow wide">
        <h1>Branches</h1>
        {error ? <Failure error={error}/> : null}
        {lines ? <p class="sums" role="status"><b>{count(lines.length, 'line')}</b><span>{count(marks.length, 'change')} of the history</span>
          {pair.length === 2 ? <a class="button" href={link('compare', '', {a: pair[0]!, b: pair[1]!})}>compare {oneLine(pair[0]!)} and {oneLine(pair[1]!)}</a>
            : <span>mark two (<kbd>m</kbd>) to compare them</span>}</p> : error ? null : <p class="muted wait">reading…</p>}
        <Lanes lines={all} marks={marks} chosen={chosen} pair={pair} mark={choose}/>
        <Operations version={version} changed={changed}/>
      </main>
    </>
  );
}

const kLane = 34;

function Lanes({lines, marks, chosen, pair, mark}: {lines: LineRow[]; marks: Directive[]; chosen: number; pair: string[]; mark: (line: LineRow) => void}): JSX.Element {
  const [ref, width] = useWidth();
  const longest = Math.max(1, ...lines.map((line) => line.length));
  const shared = lines.filter((line) => line.parts_from).map((line) => line.parts_at);
  // If all part late, what they have in common is drawn short.
  const cut = shared.length ? Math.max(0, Math.min(...shared) - Math.ceil(longest * 0.05)) : 0;
  const head = cut > longest * 0.5 ? 60 : 0;
  const start = head ? cut : 0;
  const x = (position: number): number => position < start ? 8 + (position / start) * head
    : 8 + head + ((position - start) / Math.max(1, longest - start)) * Math.max(0, width - 24 - head);
  const lane = useMemo(() => new Map(lines.map((line, i) => [line.name, i])), [lines]);
  const y = (i: number): number => i * kLane + 24;
  return (
    <div class="lanes">
      <ol class="names">
        {lines.map((line, i) => (
          <li class={i === chosen ? 'chosen' : ''} style={{height: `${kLane}px`}}>
            <button class="quiet" aria-pressed={pair.includes(line.name)} aria-label={`mark ${oneLine(line.name)}`} onClick={() => mark(line)}>{pair.includes(line.name) ? '●' : '○'}</button>
            <a href={link('session', line.name, {at: Math.min(line.parts_at, line.length - 1)})}>{oneLine(line.name)}</a>
            <span class="small muted">{line.own === 0 ? 'nothing of its own' : count(line.own, 'own commit')}, {ago(line.ended)}</span>
          </li>))}
      </ol>
      <div class="drawing" ref={ref}>
        <svg width={width} height={Math.max(1, lines.length) * kLane + 12} role="group" aria-label="where the branches part">
          {lines.map((line, i) => {
            const from = line.parts_from ? lane.get(line.parts_from) ?? 0 : i;
            const begin = x(Math.max(0, line.parts_at - 1));
            const own = x(line.parts_at);
            const end = Math.max(x(line.length - 1), own);
            return (
              <g class={`lane l${i % 8}`}>
                {line.parts_from ? <path d={`M${begin} ${y(from)} C ${begin + 14} ${y(from)}, ${begin} ${y(i)}, ${Math.max(own, begin + 14)} ${y(i)}`}/> : null}
                <line x1={line.parts_from ? Math.max(own, begin + 14) : x(0)} x2={Math.max(end, begin + 14)} y1={y(i)} y2={y(i)}/>
                <circle cx={Math.max(end, begin + 14)} cy={y(i)} r="4"/>
              </g>);
          })}
          {head ? <g class="cut"><line x1={8 + head} x2={8 + head} y1="4" y2={lines.length * kLane + 8}/><text x={8 + head + 4} y="10">{grouped(start)}</text></g> : null}
          {marks.map((each) => {
            const i = lane.get(each.line) ?? 0;
            const at = x(each.position);
            return (
              <a href={link('session', each.line, {at: each.position})} aria-label={`${each.kind} at ${each.position}`}>
                {each.target !== null && each.target < each.position - 1
                  ? <path class="reach" d={`M${at} ${y(i) - 5} Q ${(at + x(each.target)) / 2} ${y(i) - 16}, ${x(each.target)} ${y(i) - 3}`}/> : null}
                <rect class={`node ${each.kind}`} x={at - 4} y={y(i) - 4} width="8" height="8" transform={`rotate(45 ${at} ${y(i)})`}>
                  <title>{`${each.kind} at ${each.position}: ${oneLine(each.text)}${each.target !== null ? `; answers from ${each.target} on were given before it` : ''}`}</title>
                </rect>
              </a>);
          })}
        </svg>
      </div>
      {marks.length ? (
        <ol class="marked">{[...marks].sort((a, b) => b.position - a.position).map((each) => (
          <li><a href={link('session', each.line, {at: each.position})}>{each.position}</a> <b>{each.kind}</b> {oneLine(each.text).slice(0, 140)}
            <span class="muted"> on {oneLine(each.line)}{each.target !== null ? `, of turn ${each.target}` : ''}</span></li>))}</ol>) : null}
    </div>
  );
}

// The operation log, with undo.
function Operations({version, changed}: {version: number; changed: () => void}): JSX.Element | null {
  const may = useMayWrite();
  const [rows, setRows] = useState<OperationRow[]>([]);
  const [said, setSaid] = useState('');
  useEffect(() => {
    const cancel = new AbortController();
    ask<{operations: OperationRow[]}>('oplog', {limit: 20}, cancel.signal)
      .then(({operations}) => setRows(operations), () => undefined);
    return () => cancel.abort();
  }, [version]);
  if (!rows.length) return null;
  const act = (op: string): void => {
    ask<{command: string}>(op, {}).then((done) => {
      setSaid(`${op === 'undo' ? 'undid' : 'redid'} '${done.command}'`);
      changed();
    }, (why: unknown) => setSaid(why instanceof Error ? why.message : String(why)));
  };
  return (
    <section class="operations" aria-label="Operations">
      <h2>Changes of the store {may ? <><button onClick={() => act('undo')}>undo</button> <button onClick={() => act('redo')}>redo</button></> : null}
        {said ? <span class="small muted" role="status">{said}</span> : null}</h2>
      <ol>{rows.map((row) => (
        <li><code>{short(row.operation)}</code> <b>{oneLine(row.command)}</b> <span class="muted">{oneLine(row.actor)}, {ago(row.time)}</span>
          <span class="small">{row.refs.slice(0, 3).map((each) => (
            <span> {oneLine(each.name.replace(/^refs\/heads\//, ''))} {each.before ? short(each.before) : 'nothing'} → {each.after ? short(each.after) : 'nothing'}</span>))}
            {row.refs.length > 3 ? ` and ${row.refs.length - 3} more` : ''}</span></li>))}</ol>
    </section>
  );
}
