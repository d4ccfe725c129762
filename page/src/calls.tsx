// The tool calls of a session: what ran, which files it was about, what failed, and how long each took; and its
// answers by what they cost.
import type {JSX} from 'preact';
import {useEffect, useMemo, useRef, useState} from 'preact/hooks';

import {ask, type AnswerRow, type CallRow} from './api';
import {Failure, Top, useAnswer} from './app';
import {clock, count, day, duration, grouped, isFile, modelName, money, shortNumber} from './format';
import {bind} from './keys';
import {onMoved} from './live';
import {Paced} from './pace';
import {openTurn} from './places';
import {go, link, replace} from './router';
import {Select, Switch} from './sessions';
import {Marked, oneLine} from './text';

const kMost = 500;  // Calls that are read at first.

// Returns an expression that finds what a reader types, in any case.
const expressionOf = (text: string): string => (text ? '(?i)' + text.replace(/[\\^$.*+?()[\]{}|-]/g, '\\$&') : '');

export function CallsView({session, query}: {session: string; query: URLSearchParams}): JSX.Element {
  const [rows, setRows] = useState<CallRow[] | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [text, setText] = useState(query.get('q') ?? '');
  const [tool, setTool] = useState(query.get('tool') ?? '');
  const [which, setWhich] = useState(query.get('which') ?? 'all');
  const [way, setWay] = useState(query.get('as') ?? 'calls');
  const [order, setOrder] = useState(query.get('order') ?? 'newest');
  const [most, setMost] = useState(kMost);
  const [tools, setTools] = useState<ReadonlySet<string>>(new Set());
  const [isBusy, setBusy] = useState(false);
  const chosen = useRef(-1);
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLOListElement>(null);

  useEffect(() => { document.title = `calls of ${oneLine(session)} · spoor`; }, [session]);
  useEffect(() => replace(link('calls', session, {q: text, tool, which: which === 'all' ? '' : which, as: way === 'calls' ? '' : way,
    order: order === 'newest' ? '' : order})), [session, text, tool, which, way, order]);
  // The store filters, so that a limit does not hide what is looked for. While one types, only the last text is asked for.
  useEffect(() => {
    setBusy(true);
    const reading = new Paced((signal) =>
      ask<{calls: CallRow[]}>('calls', {session: [session], limit: most, brief: true, failed: which === 'failed',
        ...(tool ? {tool: [tool]} : {}), ...(text.trim() ? {match: expressionOf(text.trim())} : {})}, signal).then(({calls}) => {
        setRows(calls);
        setError(null);
        setBusy(false);
        setTools((before) => new Set([...before, ...calls.map((each) => each.tool)]));
      }, (why: unknown) => { if (!signal.aborted) setError(why); }));
    const timer = setTimeout(() => reading.wake(), rows ? 120 : 0);
    const stop = onMoved(() => reading.wake());
    return () => {
      clearTimeout(timer);
      stop();
      reading.end();
    };
  }, [session, text, tool, which, most]);

  const all = rows ?? [];
  const isCut = all.length === most;
  const shown = useMemo(() => (order === 'longest' ? [...all].sort((a, b) => (b.duration_ms ?? -1) - (a.duration_ms ?? -1)) : all), [rows, order]);
  const files = useMemo(() => filesOf(all), [rows]);
  const choose = (at: number): void => {
    const links = list.current?.querySelectorAll<HTMLElement>('a.call-row') ?? [];
    chosen.current = Math.max(0, Math.min(links.length - 1, at));
    links[chosen.current]?.focus();
  };
  useEffect(() => bind('calls', {
    'j': () => choose(chosen.current + 1),
    'k': () => choose(chosen.current - 1),
    'g g': () => choose(0),
    'G': () => choose(Number.MAX_SAFE_INTEGER),
    'f': () => setWhich(which === 'failed' ? 'all' : 'failed'),
    '1': () => setWay('calls'),
    '2': () => setWay('files'),
    '3': () => setWay('answers'),
    '/': () => field.current?.focus(),
    'Escape': () => go(link('session', session)),
  }));
  const what = text.trim();
  const noun = which === 'failed' ? 'failed call' : 'call';
  return (
    <>
      <Top><a href={link('sessions')}>sessions</a><a href={link('session', session)}>{oneLine(session)}</a><span aria-current="page">calls</span></Top>
      <main class="flow wide">
        <h1 class="unseen">Calls</h1>
        <form class="filters" role="search" onSubmit={(event) => {
          event.preventDefault();
          list.current?.querySelector<HTMLElement>('a.call-row')?.click();
        }}>
          {way === 'answers' ? null : <><input ref={field} type="search" placeholder="command, path or arguments   (Enter: the first)" aria-label="Search calls" value={text}
            onInput={(event) => { setText(event.currentTarget.value); chosen.current = -1; }}
            onKeyDown={(event) => { if (event.key === 'ArrowDown') { event.preventDefault(); choose(0); } }}/>
          <Select name="tool" value={tool} set={setTool} options={[...tools].sort()} show={oneLine}/>
          <Switch name="which" options={['all', 'failed']} value={which} set={setWhich}/></>}
          <Switch name="how" options={['calls', 'files', 'answers']} value={way} set={setWay}/>
          {way === 'calls' ? <Switch name="order" options={['newest', 'longest']} value={order} set={setOrder}/> : null}
        </form>
        {error ? <Failure error={error}/> : null}
        {way === 'answers' ? <Answers session={session} list={list}/> : null}
        {way === 'answers' ? null : rows ? (
          <p class="sums" role="status">
            <b>{isCut ? `the newest ${grouped(all.length)} ${noun}s` : count(all.length, noun)}</b>
            {which === 'all' ? <span class={all.some(hasFailed) ? 'failed' : ''}>{grouped(all.filter(hasFailed).length)} failed</span> : null}
            <span>{duration(all.reduce((sum, each) => sum + (each.duration_ms ?? 0), 0))}</span>
            {way === 'files' ? <span>{count(files.length, 'file')}</span> : null}
            {isCut ? <button class="more" onClick={() => setMost(most * 8)}>… earlier ones</button> : null}
          </p>) : error ? null : <p class="muted wait">reading…</p>}
        {way === 'files' ? <Files files={files} list={list}/> : way === 'answers' ? null : (
          <ol class={isBusy ? 'table calls stale' : 'table calls'} ref={list} aria-label="Calls" aria-busy={isBusy}>
            {shown.map((row) => <CallItem row={row} what={what} session={session}/>)}
          </ol>)}
        {rows && way !== 'answers' && !(way === 'files' ? files : rows).length ? <p class="empty">{way === 'files' ? 'No call here names a file.' : 'No call matches.'}</p> : null}
      </main>
    </>
  );
}

const hasFailed = (row: CallRow): boolean => row.outcome === 'failed' || row.outcome === 'refused';

function CallItem({row, what, session}: {row: CallRow; what: string; session: string}): JSX.Element {
  const commit = row.result ?? row.answer ?? '';
  return (
    <li>
      <a class={hasFailed(row) ? 'call-row has-failed' : 'call-row'} href={link('session', commit)} onClick={(event) => {
        event.preventDefault();
        if (commit) void openTurn(commit, {on: session, number: row.number});
      }}>
        <span class="when" title={row.time ?? undefined}>{day(row.time)} {clock(row.time)}</span>
        <span class="tool">{oneLine(row.tool)}</span>
        <span class="target"><Marked text={oneLine(row.target)} what={what}/></span>
        <span class={`outcome ${row.outcome}`}>{row.outcome === 'ok' ? '' : row.outcome}{row.exit_code ? ` (exit ${row.exit_code})` : ''}</span>
        <span class="took">{duration(row.duration_ms)}</span>
      </a>
    </li>
  );
}

interface FileRow {
  path: string;
  tools: Map<string, number>;
  failed: number;
}

// The files that calls are about, those with most calls first.
function filesOf(rows: CallRow[]): FileRow[] {
  const found = new Map<string, FileRow>();
  for (const row of rows) {
    if (!isFile(row.target)) continue;
    const file = found.get(row.target) ?? {path: row.target, tools: new Map(), failed: 0};
    file.tools.set(row.tool, (file.tools.get(row.tool) ?? 0) + 1);
    if (hasFailed(row)) ++file.failed;
    found.set(row.target, file);
  }
  const calls = (file: FileRow): number => [...file.tools.values()].reduce((sum, each) => sum + each, 0);
  return [...found.values()].sort((a, b) => calls(b) - calls(a));
}

function Files({files, list}: {files: FileRow[]; list: {current: HTMLOListElement | null}}): JSX.Element {
  return (
    <ol class="table calls" ref={list} aria-label="Files">
      {files.map((file) => (
        <li>
          <a class="call-row of-file" href={link('file', file.path)}>
            <span class="target">{oneLine(file.path)}</span>
            <span class="small">{[...file.tools].map(([tool, calls]) => `${oneLine(tool)} ${grouped(calls)}`).join(', ')}</span>
            <span class="outcome">{file.failed ? `${grouped(file.failed)} failed` : ''}</span>
          </a>
        </li>))}
    </ol>
  );
}

const kMostAnswers = 100;
const kOrders = ['cost', 'output', 'prompt', 'duration', 'time'];

// The answers of the main line, those with the most of something first. The store sorts, so all of them are compared.
function Answers({session, list}: {session: string; list: {current: HTMLOListElement | null}}): JSX.Element {
  const [by, setBy] = useState('cost');
  const [most, setMost] = useState(kMostAnswers);
  const [answer, error] = useAnswer<{answers: AnswerRow[]}>('answers', {revision: session, by, limit: most}, true);
  const rows = answer?.answers ?? [];
  return (
    <>
      <p class="sums">
        <Switch name="by" options={kOrders} value={by} set={setBy}/>
        {answer ? <span role="status"><b>{rows.length === most ? `the first ${grouped(rows.length)} by ${by}` : count(rows.length, 'answer')}</b></span> : null}
        {rows.length === most ? <button class="more" onClick={() => setMost(most * 8)}>… more</button> : null}
      </p>
      {error ? <Failure error={error}/> : null}
      {!answer && !error ? <p class="muted wait">reading…</p> : null}
      <ol class="table calls" ref={list} aria-label="Answers">
        {rows.map((row) => (
          <li>
            <a class="call-row of-answer" href={link('session', session, {at: row.position})}>
              <span class="when" title={row.time ?? undefined}>{day(row.time)} {clock(row.time)}</span>
              <span class="small">{oneLine(modelName(row.model))}</span>
              <span class="says">{oneLine(row.text) || (row.calls ? count(row.calls, 'call') : 'thinking alone')}</span>
              <span class="took">{row.prompt_tokens === null ? '' : `${shortNumber(row.prompt_tokens)} in`}</span>
              <span class="took">{row.output_tokens === null ? '' : `${shortNumber(row.output_tokens)} out`}</span>
              <span class="took">{duration(row.duration_ms)}</span>
              <b class="took">{money(row.cost_usd)}</b>
            </a>
          </li>))}
      </ol>
      {answer && !rows.length ? <p class="empty">No model has answered here.</p> : null}
    </>
  );
}
