// All sessions: found as one types, filtered, with what they cost over time.
import type {JSX} from 'preact';
import {useEffect, useMemo, useRef, useState} from 'preact/hooks';

import {ask, type CostRow, type SessionRow} from './api';
import {Failure, Top, useAnswer} from './app';
import {ago, count, duration, folder, grouped, modelName, money, shortNumber} from './format';
import {bind} from './keys';
import {Bars} from './plot';
import {go, link, replace} from './router';
import {Marked, oneLine} from './text';

type Group = 'agent' | 'model' | 'project';

const kPageRows = 300;

export function SessionsView({query}: {query: URLSearchParams}): JSX.Element {
  const [answer, error] = useAnswer<{sessions: SessionRow[]}>('sessions', {}, true);
  const rows = answer?.sessions ?? null;
  const [text, setText] = useState(query.get('q') ?? '');
  const [project, setProject] = useState(query.get('project') ?? '');
  const [agent, setAgent] = useState(query.get('agent') ?? '');
  const [model, setModel] = useState(query.get('model') ?? '');
  const [outcome, setOutcome] = useState(query.get('outcome') ?? '');
  const [most, setMost] = useState(kPageRows);
  const chosen = useRef(-1);
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLOListElement>(null);

  useEffect(() => { document.title = 'sessions · spoor'; }, []);
  useEffect(() => replace(link('sessions', '', {q: text, project, agent, model, outcome})),
            [text, project, agent, model, outcome]);

  const all = rows ?? [];
  const names = (of: (row: SessionRow) => string[]): string[] =>
    [...new Set(all.flatMap(of))].filter(Boolean).sort().slice(0, 500);
  const projects = useMemo(() => names((row) => [row.project]), [rows]);
  const agents = useMemo(() => names((row) => [row.agent]), [rows]);
  const models = useMemo(() => names((row) => row.models), [rows]);
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = useMemo(() => all.filter((row) => {
    if (project && row.project !== project) return false;
    if (agent && row.agent !== agent) return false;
    if (model && !row.models.includes(model)) return false;
    if (outcome && row.outcome !== outcome) return false;
    if (!words.length) return true;
    const where = `${row.number} ${row.title} ${row.project} ${row.agent} ${row.session} ${row.id} ${row.models.join(' ')}`.toLowerCase();
    return words.every((word) => where.includes(word));
  }), [rows, text, project, agent, model, outcome]);

  const choose = (at: number): void => {
    const next = Math.max(0, Math.min(shown.length - 1, at));
    chosen.current = next;
    if (next >= most) setMost(next + kPageRows);
    requestAnimationFrame(() => list.current?.querySelectorAll<HTMLElement>('a.row')[next]?.focus());
  };
  useEffect(() => bind('sessions', {
    'j': () => choose(chosen.current + 1),
    'k': () => choose(chosen.current - 1),
    'g g': () => choose(0),
    'G': () => choose(shown.length - 1),
    '/': () => field.current?.focus(),
    'Enter': () => { if (shown[chosen.current]) go(link('session', String(shown[chosen.current]!.number))); },
  }));

  return (
    <>
      <Top><span aria-current="page">sessions</span><a href={link('trees')}>trees of attempts</a></Top>
      <main class="sessions">
        <h1 class="unseen">Sessions</h1>
        <form class="filters" role="search" onSubmit={(event) => {
          event.preventDefault();
          if (text.trim()) go(link('search', '', {q: text.trim()}));
        }}>
          <input ref={field} type="search" placeholder="search titles, projects, models…   (Enter: in all texts)" aria-label="Search sessions"
            value={text} onInput={(event) => { setText(event.currentTarget.value); chosen.current = -1; }}
            onKeyDown={(event) => { if (event.key === 'ArrowDown') { event.preventDefault(); choose(0); } }}/>
          <Select name="project" value={project} set={setProject} options={projects} show={(path) => oneLine(folder(path))}/>
          <Select name="agent" value={agent} set={setAgent} options={agents} show={oneLine}/>
          <Select name="model" value={model} set={setModel} options={models} show={(name) => oneLine(modelName(name))}/>
          <Select name="outcome" value={outcome} set={setOutcome} options={['finished', 'interrupted', 'failed']} show={(word) => word}/>
        </form>
        {error ? <Failure error={error}/> : null}
        <Spending project={project} agent={agent} model={model} version={rows}/>
        {rows ? <Sums rows={shown} all={all.length}/> : error ? null : <p class="muted wait">reading…</p>}
        <ol class="table" ref={list} aria-label="Sessions">
          {shown.slice(0, most).map((row) => <SessionItem key={row.session} row={row} what={words.length === 1 ? words[0]! : ''}/>)}
        </ol>
        {shown.length > most
          ? <button class="more" onClick={() => setMost(most + 1000)}>show {grouped(shown.length - most)} more</button> : null}
        {rows && !rows.length ? <p class="empty">This store has no sessions yet. In a terminal: <code>spoor import</code></p> : null}
        {rows && rows.length > 0 && !shown.length ? <p class="empty">No session matches.</p> : null}
      </main>
    </>
  );
}

export function Select({name, value, set, options, show}: {name: string; value: string; set: (value: string) => void;
    options: string[]; show: (value: string) => string}): JSX.Element {
  return (
    <select aria-label={name} value={value} class={value ? 'set' : ''} onChange={(event) => set(event.currentTarget.value)}>
      <option value="">any {name}</option>
      {options.map((each) => <option value={each}>{show(each)}</option>)}
    </select>
  );
}

function Sums({rows, all}: {rows: SessionRow[]; all: number}): JSX.Element {
  const sum = (of: (row: SessionRow) => number): number => rows.reduce((total, row) => total + of(row), 0);
  const complete = rows.every((row) => row.is_complete);
  return (
    <p class="sums" role="status">
      <b>{rows.length === all ? count(all, 'session') : `${grouped(rows.length)} of ${count(all, 'session')}`}</b>
      <span>{count(sum((row) => row.turns), 'turn')}</span>
      <span>{count(sum((row) => row.calls), 'call')}, {grouped(sum((row) => row.failed_calls))} failed</span>
      <span>{shortNumber(sum((row) => row.input_tokens + row.cache_read_tokens + row.cache_write_tokens))} tokens in,{' '}
        {shortNumber(sum((row) => row.output_tokens))} out</span>
      <span>{money(sum((row) => row.cost_usd ?? 0), complete)}</span>
    </p>
  );
}

const kOutcome: Record<string, string> = {finished: '✓', interrupted: '…', failed: '✕'};

function SessionItem({row, what}: {row: SessionRow; what: string}): JSX.Element {
  const took = row.started && row.ended ? Date.parse(row.ended) - Date.parse(row.started) : null;
  const tokens = row.input_tokens + row.cache_read_tokens + row.cache_write_tokens + row.output_tokens;
  return (
    <li>
      <a class="row" href={link('session', String(row.number))}>
        <span class={`mark ${row.outcome}`} title={row.outcome}><span aria-hidden="true">{kOutcome[row.outcome] ?? '?'}</span><span class="unseen">{row.outcome}</span></span>
        <span class="number">{row.number}</span>
        <span class="title"><Marked text={oneLine(row.title) || '(no title)'} what={what}/></span>
        <span class="where">
          <span class="project" title={oneLine(row.project)}><Marked text={oneLine(folder(row.project))} what={what}/></span>
          <span class="agent">{oneLine(row.agent)}</span>
          <span class="model">{row.models.length ? oneLine(modelName(row.models[0]!)) : ''}{row.models.length > 1 ? ` +${row.models.length - 1}` : ''}</span>
        </span>
        <span class="when" title={row.started ?? ''}>{ago(row.ended ?? row.started)}</span>
        <span class="num took">{took !== null && took > 0 ? duration(took) : ''}</span>
        <span class="num">{grouped(row.turns)}<i> turns</i></span>
        <span class="num calls">{row.calls ? grouped(row.calls) : ''}{row.calls ? <i> calls</i> : null}{row.failed_calls ? <em title="failed calls"> {grouped(row.failed_calls)}✕</em> : null}</span>
        <span class="num diff">{row.lines_added ? <b class="added">+{shortNumber(row.lines_added)}</b> : null}{row.lines_removed ? <b class="removed"> −{shortNumber(row.lines_removed)}</b> : null}</span>
        <span class="num">{tokens ? shortNumber(tokens) : ''}<i>{tokens ? ' tok' : ''}</i></span>
        <span class="num cost">{money(row.cost_usd, row.is_complete)}</span>
      </a>
    </li>
  );
}

// ---- Cost and tokens over time ----

const kMostSeries = 7;

function Spending({project, agent, model, version}: {project: string; agent: string; model: string; version: unknown}): JSX.Element | null {
  const [by, setBy] = useState<Group>('model');
  const [unit, setUnit] = useState<'cost' | 'tokens'>('cost');
  const [rows, setRows] = useState<CostRow[] | null>(null);
  useEffect(() => {
    if (version === null) return;
    const cancel = new AbortController();
    const members: Record<string, unknown> = {by: ['day', by]};
    if (project) members['project'] = project;
    if (agent) members['agent'] = agent;
    if (model) members['model'] = model;
    ask<{costs?: CostRow[]; rows?: CostRow[]} & Record<string, CostRow[]>>('cost', members, cancel.signal)
      .then((answer) => setRows(Object.values(answer)[0] ?? []), () => undefined);
    return () => cancel.abort();
  }, [by, project, agent, model, version]);
  const plot = useMemo(() => {
    const dated = (rows ?? []).filter((row) => row.day);
    if (!dated.length) return null;
    const value = (row: CostRow): number => unit === 'cost' ? row.cost_usd ?? 0
      : row.input_tokens + row.cache_read_tokens + row.cache_write_tokens + row.output_tokens;
    // A bar is a day, a week or a month, so that all fit.
    const kDay = 86_400_000;
    const times = dated.map((row) => Date.parse(row.day!));
    const last = Math.max(...times);
    const span = (last - Math.min(...times)) / kDay + 1;
    const step = span <= 120 ? 1 : span <= 840 ? 7 : 30;
    const bars = Math.max(14, Math.ceil(span / step));
    const days = Array.from({length: bars}, (_, i) =>
      new Date(last - (bars - i) * step * kDay + kDay).toISOString().slice(0, 10));
    const placeOf = (row: CostRow): number => bars - 1 - Math.floor((last - Date.parse(row.day!)) / kDay / step);
    // Dated versions of a model are one.
    const nameOf = (row: CostRow): string => {
      const name = row[by] ?? '';
      return oneLine(by === 'project' ? folder(name) : by === 'model' ? modelName(name) : name) || 'unknown';
    };
    const sums = new Map<string, number>();
    for (const row of dated) sums.set(nameOf(row), (sums.get(nameOf(row)) ?? 0) + value(row));
    const order = [...sums].filter(([, sum]) => sum > 0).sort((a, b) => b[1] - a[1]).map(([name]) => name);
    if (!order.length) return null;
    const named = order.slice(0, order.length > kMostSeries + 1 ? kMostSeries : order.length);
    const series = named.map((name) => ({name, values: days.map(() => 0)}));
    const rest = {name: `${order.length - named.length} others`, values: days.map(() => 0)};
    for (const row of dated) {
      const into = series[named.indexOf(nameOf(row))] ?? rest;
      into.values[placeOf(row)]! += value(row);
    }
    return {days, series: order.length > named.length ? [...series, rest] : series};
  }, [rows, unit, by]);
  if (!plot && unit === 'tokens') return rows ? null : <div class="plot blank"/>;
  return (
    <section class="spending" aria-label="Spending over time">
      <div class="switches">
        <Switch name="what" options={['cost', 'tokens']} value={unit} set={(value) => setUnit(value as 'cost')}/>
        <Switch name="by" options={['model', 'agent', 'project']} value={by} set={(value) => setBy(value as Group)}/>
      </div>
      {plot ? <Bars days={plot.days} series={plot.series} show={(value) => unit === 'cost' ? money(value) : shortNumber(value)}
        label={`${unit} over time by ${by}`}/>
        : <p class="plot blank muted">{rows ? 'no session here has a known cost' : ''}</p>}
    </section>
  );
}

export function Switch({name, options, value, set}: {name: string; options: string[]; value: string; set: (value: string) => void}): JSX.Element {
  return (
    <span class="switch" role="group" aria-label={name}>
      {options.map((each) => (
        <button type="button" aria-pressed={each === value} onClick={() => set(each)}>{each}</button>))}
    </span>
  );
}
