// A file's life over all sessions, each change with its reason, and its lines as they are now.
import type {JSX} from 'preact';
import {useEffect, useMemo, useState} from 'preact/hooks';

import {ApiError, ask, type EditRow} from './api';
import {Failure, Top} from './app';
import {clock, count, day, grouped, short} from './format';
import {bind} from './keys';
import {openTurn} from './places';
import {go, link} from './router';
import {Switch} from './sessions';
import {Diff, head, lineCount, oneLine, plain} from './text';

interface BlameLine {
  line: number;
  text: string;
  writer: 'turn' | 'other' | 'unknown';
  edit: {session: number; branch: string; agent: string; tool: string; time: string | null; turn: string; result: string} | null;
}

const kMostEdits = 300;

export function FileView({path}: {path: string}): JSX.Element {
  const [edits, setEdits] = useState<EditRow[] | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [way, setWay] = useState('changes');
  useEffect(() => { document.title = `${oneLine(path)} · spoor`; }, [path]);
  useEffect(() => {
    const cancel = new AbortController();
    ask<{edits: EditRow[]}>('file', {path, limit: kMostEdits}, cancel.signal)
      .then((answer) => setEdits(answer.edits), (why: unknown) => { if (!cancel.signal.aborted) setError(why); });
    return () => cancel.abort();
  }, [path]);
  useEffect(() => bind('file', {'1': () => setWay('changes'), '2': () => setWay('lines'), 'Escape': () => history.back()}));
  const sum = (of: (row: EditRow) => number | null): number => (edits ?? []).reduce((total, row) => total + (of(row) ?? 0), 0);
  return (
    <>
      <Top><a href={link('sessions')}>sessions</a><span aria-current="page">file</span></Top>
      <main class="flow">
        <h1 class="path">{oneLine(path)}</h1>
        {error ? <Failure error={error}/> : null}
        {edits ? (
          <p class="sums" role="status"><b>{count(edits.length, 'change')}{edits.length === kMostEdits ? ' or more' : ''}</b>
            <span>in {count(new Set(edits.map((row) => row.session)).size, 'session')}</span>
            <span class="added">+{grouped(sum((row) => row.lines_added))}</span><span class="removed">−{grouped(sum((row) => row.lines_removed))}</span>
            <Switch name="how" options={['changes', 'lines']} value={way} set={setWay}/></p>) : error ? null : <p class="muted wait">reading…</p>}
        {way === 'lines' ? <Lines path={path} edited={edits?.[0]?.path ?? path}/> : <Edits edits={edits ?? []}/>}
        {edits && !edits.length ? <p class="empty">No session changed this file.</p> : null}
      </main>
    </>
  );
}

function openEdit(session: number, commit: string | null): void {
  if (commit) void openTurn(commit, {number: session});
  else go(link('session', String(session)));
}

function Edits({edits}: {edits: EditRow[]}): JSX.Element {
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  return (
    <ol class="edits">
      {edits.map((row, i) => {
        const isOpen = open.has(i);
        const isLong = lineCount(row.diff) > 24 || lineCount(row.why) > 8;
        return (
          <li>
            <p class="facts">
              <button class="more" onClick={() => openEdit(row.number, row.result ?? row.answer)}><code>{short(row.result ?? row.answer)}</code></button>
              <span>{day(row.time)} {clock(row.time)}</span>
              <a href={link('session', String(row.number))}>session {row.number}</a>
              <span>{oneLine(row.tool)}</span>
              {row.lines_added !== null ? <b class="added">+{row.lines_added}</b> : null}
              {row.lines_removed !== null ? <b class="removed">−{row.lines_removed}</b> : null}
            </p>
            {row.request ? <p class="asked">{oneLine(row.request).slice(0, 200)}</p> : null}
            {row.why ? <p class="thought">{plain(isOpen ? row.why : head(row.why, 8, 900))}</p> : <p class="muted small">no reason is recorded</p>}
            {row.diff ? <div class="edit"><Diff text={row.diff} most={isOpen ? undefined : 24}/></div> : <p class="muted small">nothing shows the change</p>}
            {isLong && !isOpen ? <button class="more" onClick={() => setOpen(new Set([...open, i]))}>… all of it</button> : null}
          </li>);
      })}
    </ol>
  );
}

// A file with the turn that wrote each line.
interface Blame {
  file: string;
  lines: BlameLine[];
  recorded: {time: string | null; missing: number} | null;
}

// Each line by the turn that wrote it: of the file in the work tree, else as the recorded edits leave it.
function Lines({path, edited}: {path: string; edited: string}): JSX.Element {
  const [blame, setBlame] = useState<Blame | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [chosen, setChosen] = useState<string>('');
  useEffect(() => {
    const cancel = new AbortController();
    setBlame(null);
    setError(null);
    ask<Blame>('blame', {revision: path}, cancel.signal).catch((why: unknown) => {
      if (!(why instanceof ApiError && (why.code === 'denied' || why.code === 'not_found'))) throw why;
      return ask<Blame>('blame', {revision: edited, recorded: true}, cancel.signal);
    }).then(setBlame, (why: unknown) => { if (!cancel.signal.aborted) setError(why); });
    return () => cancel.abort();
  }, [path, edited]);
  const lines = blame?.lines;
  const groups = useMemo(() => {
    const found: {edit: BlameLine['edit']; writer: string; lines: BlameLine[]}[] = [];
    for (const line of lines ?? []) {
      const last = found[found.length - 1];
      if (last && last.edit?.result === line.edit?.result && last.writer === line.writer) last.lines.push(line);
      else found.push({edit: line.edit, writer: line.writer, lines: [line]});
    }
    return found;
  }, [lines]);
  if (error) return <Failure error={error}/>;
  if (!blame) return <p class="muted wait">reading…</p>;
  const {recorded} = blame;
  return (
    <>
    {recorded ? (
      <p class="muted small said">{oneLine(blame.file)} as the last recorded edit left it{recorded.time ? `, ${day(recorded.time)} ${clock(recorded.time)}` : ''}. The
        file itself is not read: the folder of <code>spoor open</code> does not have it.
        {recorded.missing ? ` ${count(recorded.missing, 'later change')} may be missing: what ${recorded.missing === 1 ? 'it' : 'they'} wrote is not recorded.` : ''}</p>) : null}
    {lines?.length ? null : <p class="empty">The file is empty.</p>}
    <div class="blame">
      {groups.map((group) => (
        <div class={group.edit && chosen === group.edit.result ? 'group chosen' : 'group'}>
          <p class="by">
            {group.edit ? <>
              <button class="more" onMouseEnter={() => setChosen(group.edit!.result)} onFocus={() => setChosen(group.edit!.result)}
                onClick={() => openEdit(group.edit!.session, group.edit!.result ?? group.edit!.turn)}><code>{short(group.edit.result)}</code></button>
              <span>{day(group.edit.time)}</span> <span class="muted">session {group.edit.session}, {oneLine(group.edit.agent)}</span>
            </> : <span class="muted">{group.writer === 'other' ? 'not by an agent' : 'not known'}</span>}
          </p>
          <pre tabIndex={0} aria-label="lines">{group.lines.map((line) => <span><i>{line.line}</i>{plain(line.text) + '\n'}</span>)}</pre>
        </div>))}
    </div>
    </>
  );
}
