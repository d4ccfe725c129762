// What `spoor open --write` lets one do with a turn. Each is one operation, and `undo` takes it back.
import type {JSX} from 'preact';
import {useEffect, useRef, useState} from 'preact/hooks';

import {ApiError, ask, type Commit, type LineRow, type Turn} from './api';
import {Failure} from './app';
import {count, short} from './format';
import {go, link} from './router';
import {oneLine} from './text';

let mayWrite: boolean | null = null;

// Asks for an operation that a page that only reads is refused.
async function asksToWrite(): Promise<boolean> {
  if (mayWrite !== null) return mayWrite;
  try {
    await ask('annotate', {});
    mayWrite = true;
  } catch (why) {
    mayWrite = !(why instanceof ApiError && why.code === 'denied');
  }
  return mayWrite;
}

export function useMayWrite(): boolean {
  const [may, setMay] = useState(mayWrite === true);
  useEffect(() => { void asksToWrite().then(setMay); }, []);
  return may;
}

type Form = 'edit' | 'summarise' | 'merge';

// Does something and tells so, or why not; resolves to true if it was done.
type Act = (says: string | ((answer: Record<string, unknown>) => string), does: () => Promise<Record<string, unknown>>) => Promise<boolean>;

export function Actions({commit, marked, branch, changed}: {commit: Commit; marked: number | null; branch: string; changed: () => void}): JSX.Element {
  const may = useMayWrite();
  const [said, setSaid] = useState('');
  const [error, setError] = useState<unknown>(null);
  const [form, setForm] = useState<Form | null>(null);
  const isBusy = useRef(false);
  if (!may) return <p class="muted small">To fork, pin, skip, edit, summarise or merge here: <code>spoor open --write</code></p>;
  const act: Act = async (says, does) => {
    if (isBusy.current) return false;  // The second half of a double click.
    isBusy.current = true;
    setSaid('');
    setError(null);
    try {
      const answer = await does();
      setSaid(typeof says === 'string' ? says : says(answer));
      changed();
      return true;
    } catch (why) {
      setError(why);
      return false;
    } finally {
      isBusy.current = false;
    }
  };
  const close = (done: boolean): void => { if (done) setForm(null); };
  const priority = (to: string): void => void act(`${to} (undo takes it back)`, () => ask('annotate', {target: commit.hash, priority: to, branch}));
  const open = (name: Form): JSX.Element => <button onClick={() => setForm(form === name ? null : name)} aria-expanded={form === name}>{name}</button>;
  return (
    <div class="acts">
      <button onClick={() => priority('pinned')} aria-pressed={commit.priority === 'pinned'}>pin</button>
      <button onClick={() => priority('skip')} aria-pressed={commit.priority === 'skip'}>skip</button>
      <button onClick={() => priority('normal')} aria-pressed={commit.priority === 'normal'}>normal</button>
      {open('edit')}
      {open('summarise')}
      {open('merge')}
      <button onClick={() => {
        const name = `fork/${short(commit.hash)}-${Date.now().toString(36).slice(-4)}`;
        void act(`made ${name}`, () => ask('branch', {name, to: commit.hash})).then((done) => { if (done) go(link('session', name)); });
      }}>fork here</button>
      <button title="takes back the newest change of the store, whoever made it" onClick={() => void act(
        ({command, actor}) => `undone: ${oneLine(String(command))} by ${oneLine(String(actor))}`, () => ask('undo', {}))}>undo</button>
      {said ? <span class="small" role="status">{said}</span> : null}
      {error ? <Failure error={error}/> : null}
      {form === 'edit' ? <Edit key={commit.hash} commit={commit} branch={branch} act={act} close={close}/> : null}
      {form === 'summarise' ? <Summarise key={`${marked} ${commit.depth}`} commit={commit} marked={marked} branch={branch} act={act} close={close}/> : null}
      {form === 'merge' ? <Merge branch={branch} act={act} close={close}/> : null}
    </div>
  );
}

interface FormProps {
  branch: string;
  act: Act;
  close: (done: boolean) => void;
}

function Edit({commit, branch, act, close}: FormProps & {commit: Commit}): JSX.Element {
  const text = useRef<HTMLTextAreaElement>(null);
  // A field has LF alone, whatever was put into it.
  const hasCrlf = /\r\n/.test(commit.text ?? '') && !/(^|[^\r])\n/.test(commit.text ?? '');
  return (
    <form onSubmit={(event) => {
      event.preventDefault();
      const typed = text.current!.value;
      void act('edited (undo takes it back)',
        () => ask('edit', {target: commit.hash, text: hasCrlf ? typed.replace(/\n/g, '\r\n') : typed, branch})).then(close);
    }}>
      <textarea ref={text} aria-label="New text" rows={8}>{commit.text ?? ''}</textarea>
      <button type="submit">replace the text on {oneLine(branch)}</button>
    </form>
  );
}

// One summary in place of the turns from one to another: as `spoor compress`.
function Summarise({commit, marked, branch, act, close}: FormProps & {commit: Commit; marked: number | null}): JSX.Element {
  const [from, setFrom] = useState(Math.min(marked ?? commit.depth, commit.depth));
  const [to, setTo] = useState(Math.max(marked ?? commit.depth, commit.depth));
  const text = useRef<HTMLTextAreaElement>(null);
  const commitAt = async (position: number): Promise<string> => {
    const {turns: [turn]} = await ask<{turns: Turn[]}>('turns', {revision: branch, from: position, limit: 1, chars: 1});
    if (!turn) throw new ApiError('not_found', `'${oneLine(branch)}' has no turn ${position}`, '');
    return turn.commit;
  };
  return (
    <form onSubmit={(event) => {
      event.preventDefault();
      void act((done) => `${count(Number(done['sources']), 'turn')} summarised${done['kept'] ? `, ${done['kept']} kept` : ''} (undo takes it back)`,
        async () => ask('compress', {from: await commitAt(from), to: await commitAt(to), text: text.current!.value, branch})).then(close);
    }}>
      <p class="fields">
        <label>turns <input type="number" min={0} value={from} aria-label="From turn" onInput={(event) => setFrom(Number(event.currentTarget.value))}/></label>
        <label>to <input type="number" min={0} value={to} aria-label="To turn" onInput={(event) => setTo(Number(event.currentTarget.value))}/></label>
        <span class="muted small">in the session <kbd>m</kbd> marks where it begins</span>
      </p>
      <textarea ref={text} aria-label="Summary" rows={5} required placeholder="The summary that is sent in their place; pinned turns stay."/>
      <button type="submit">summarise on {oneLine(branch)}</button>
    </form>
  );
}

const kModes: [string, string][] = [
  ['append', 'its turns, after those that are here'],
  ['digest', 'a summary in place of its turns'],
  ['pick', 'some of its turns'],
  ['ours', 'nothing of it, but it counts as merged'],
];

// Another branch into this one: as `spoor merge`.
function Merge({branch, act, close}: FormProps): JSX.Element {
  const [lines, setLines] = useState<LineRow[]>([]);
  const [mode, setMode] = useState('append');
  const source = useRef<HTMLInputElement>(null);
  const text = useRef<HTMLTextAreaElement>(null);
  const picked = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const cancel = new AbortController();
    ask<{lines: LineRow[]}>('lines', {revision: [branch]}, cancel.signal).then((answer) => setLines(answer.lines), () => undefined);
    return () => cancel.abort();
  }, [branch]);
  return (
    <form onSubmit={(event) => {
      event.preventDefault();
      void act(`merged (undo takes it back)`, () => ask('merge', {source: source.current!.value.trim(), mode, branch,
        ...(mode === 'digest' ? {text: text.current!.value} : {}),
        ...(mode === 'pick' ? {targets: picked.current!.value.split(/[\s,]+/).filter(Boolean)} : {})})).then(close);
    }}>
      <p class="fields">
        <input ref={source} list="merge-sources" required aria-label="Branch to merge" placeholder="a branch or a commit" autocomplete="off"/>
        <datalist id="merge-sources">{lines.filter((line) => line.name !== branch).map((line) => <option value={line.name}/>)}</datalist>
        <select aria-label="How to merge" value={mode} onChange={(event) => setMode(event.currentTarget.value)}>
          {kModes.map(([name, says]) => <option value={name}>{name}: {says}</option>)}
        </select>
      </p>
      {mode === 'digest' ? <textarea ref={text} aria-label="Summary" rows={5} required placeholder="The summary of what was done there."/> : null}
      {mode === 'pick' ? <input ref={picked} required aria-label="Turns to keep" placeholder="commits to keep, with a space between"/> : null}
      <button type="submit">merge into {oneLine(branch)}</button>
    </form>
  );
}
