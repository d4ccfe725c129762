// A file's life over all sessions, each change with its reason, and its lines as they are now.
import type {JSX} from 'preact';
import {useEffect, useMemo, useState} from 'preact/hooks';

import {ask, type EditRow, type SessionRow} from './api';
import {Failure, Top} from './app';
import {clock, count, day, grouped, short} from './format';
import {bind} from './keys';
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
            <Switch name="how" options={['changes', 'lines']} value={way} set={setWay}/></p>) : <p class="muted wait">reading…</p>}
        {way === 'lines' ? <Lines path={path}/> : <Edits edits={edits ?? []}/>}
        {edits && !edits.length ? <p class="empty">No session changed this file.</p> : null}
      </main>
    </>
  );
}

async function openAt(session: number, commit: string | null): Promise<void> {
  if (!commit) return go(link('session', String(session)));
  const shown = await ask<{depth: number}>('show', {rev: commit});
  const {sessions} = await ask<{sessions: SessionRow[]}>('sessions');
  const row = sessions.find((each) => each.number === session);
  for (const branch of row?.branches ?? []) {
    const {is_ancestor} = await ask<{is_ancestor: boolean}>('is_ancestor', {ancestor: commit, of: branch});
    if (is_ancestor) return go(link('session', branch === row!.session ? String(session) : branch, {at: shown.depth}));
  }
  go(link('session', commit, {at: shown.depth}));
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
              <button class="more" onClick={() => void openAt(row.number, row.result ?? row.answer)}><code>{short(row.result ?? row.answer)}</code></button>
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

// Each line of the file in the work tree, by the turn that wrote it.
function Lines({path}: {path: string}): JSX.Element {
  const [lines, setLines] = useState<BlameLine[] | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [chosen, setChosen] = useState<string>('');
  useEffect(() => {
    const cancel = new AbortController();
    ask<{lines: BlameLine[]}>('blame', {revision: path}, cancel.signal)
      .then((answer) => setLines(answer.lines ?? []), (why: unknown) => { if (!cancel.signal.aborted) setError(why); });
    return () => cancel.abort();
  }, [path]);
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
  if (!lines) return <p class="muted wait">reading…</p>;
  return (
    <div class="blame">
      {groups.map((group) => (
        <div class={group.edit && chosen === group.edit.result ? 'group chosen' : 'group'}>
          <p class="by">
            {group.edit ? <>
              <button class="more" onMouseEnter={() => setChosen(group.edit!.result)} onFocus={() => setChosen(group.edit!.result)}
                onClick={() => void openAt(group.edit!.session, group.edit!.result)}><code>{short(group.edit.result)}</code></button>
              <span>{day(group.edit.time)}</span> <span class="muted">session {group.edit.session}, {oneLine(group.edit.agent)}</span>
            </> : <span class="muted">{group.writer === 'other' ? 'not by an agent' : 'not known'}</span>}
          </p>
          <pre>{group.lines.map((line) => <span><i>{line.line}</i>{plain(line.text) + '\n'}</span>)}</pre>
        </div>))}
    </div>
  );
}
