// What `spoor open --write` lets one do with a turn. Each is one operation, and `undo` takes it back.
import type {JSX} from 'preact';
import {useEffect, useRef, useState} from 'preact/hooks';

import {ApiError, ask, type Commit} from './api';
import {short} from './format';
import {go, link} from './router';

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

export function Actions({commit, branch, changed}: {commit: Commit; branch: string; changed: () => void}): JSX.Element {
  const may = useMayWrite();
  const [said, setSaid] = useState('');
  const [editing, setEditing] = useState(false);
  const text = useRef<HTMLTextAreaElement>(null);
  if (!may) return <p class="muted small">To fork, pin, skip or edit here: <code>spoor open --write</code></p>;
  const act = async (says: string, op: string, members: Record<string, unknown>): Promise<boolean> => {
    try {
      await ask(op, members);
      setSaid(says);
      changed();
      return true;
    } catch (why) {
      setSaid(why instanceof Error ? why.message : String(why));
      return false;
    }
  };
  const priority = (to: string): void => void act(`${to} (undo takes it back)`, 'annotate', {target: commit.hash, priority: to, branch});
  return (
    <div class="acts">
      <button onClick={() => priority('pinned')} aria-pressed={commit.priority === 'pinned'}>pin</button>
      <button onClick={() => priority('skip')} aria-pressed={commit.priority === 'skip'}>skip</button>
      <button onClick={() => priority('normal')} aria-pressed={commit.priority === 'normal'}>normal</button>
      <button onClick={() => setEditing(!editing)} aria-expanded={editing}>edit</button>
      <button onClick={() => {
        const name = `fork/${short(commit.hash)}-${Date.now().toString(36).slice(-4)}`;
        void act(`made ${name}`, 'branch', {name, to: commit.hash}).then((done) => { if (done) go(link('session', name)); });
      }}>fork here</button>
      <button onClick={() => void act('undone', 'undo', {})}>undo</button>
      {said ? <span class="small" role="status">{said}</span> : null}
      {editing ? (
        <form onSubmit={(event) => {
          event.preventDefault();
          void act('edited (undo takes it back)', 'edit', {target: commit.hash, text: text.current!.value, branch}).then(() => setEditing(false));
        }}>
          <textarea ref={text} aria-label="New text" rows={8}>{commit.text ?? ''}</textarea>
          <button type="submit">replace the text on {branch}</button>
        </form>) : null}
    </div>
  );
}
