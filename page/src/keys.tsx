// One place for keys: a view binds its own, and `?` lists what is bound.
import type {JSX} from 'preact';
import {useEffect, useRef, useState} from 'preact/hooks';

export type Keys = Record<string, (event: KeyboardEvent) => void>;

const bound = new Map<string, Keys>();
let waiting = '';
let waited = 0;

export function bind(name: string, keys: Keys): () => void {
  bound.set(name, keys);
  return () => {
    if (bound.get(name) === keys) bound.delete(name);
  };
}

function named(event: KeyboardEvent): string {
  return event.key === ' ' ? 'space' : event.key;
}

addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  const target = event.target as HTMLElement;
  const types = target.matches('input, textarea, select');
  if (types && event.key === 'Escape') {
    target.blur();
    event.preventDefault();
    return;
  }
  if (types) return;
  // Enter and space belong to a control that has the focus.
  if ((event.key === 'Enter' || event.key === ' ') && target.matches('a, button, summary')) return;
  if (document.querySelector('dialog[open]')) return;
  const key = named(event);
  const both = performance.now() - waited < 900 && waiting ? `${waiting} ${key}` : '';
  waiting = '';
  for (const name of both ? [both, key] : [key]) {
    for (const keys of [...bound.values()].reverse()) {
      const act = keys[name];
      if (!act) continue;
      event.preventDefault();
      act(event);
      return;
    }
    if ([...bound.values()].some((keys) => Object.keys(keys).some((each) => each.startsWith(name + ' ')))) {
      waiting = name;
      waited = performance.now();
      return;
    }
  }
});

const kKeys: [string, string][] = [
  ['j k', 'next, previous turn or row'],
  ['] [', 'next, previous request'],
  ['g g, G', 'first, last'],
  ['Enter', 'open, or unfold the turn'],
  ['p', 'the prompt at this turn'],
  ['l h', 'later, earlier prompt (with the prompt open)'],
  ['e', 'unfold or fold all'],
  ['f F', 'next, previous failure'],
  ['d D', 'next, previous decision'],
  ['/', 'search'],
  ['n N', 'next, previous match'],
  ['m', 'mark this turn; at another turn: compare the two'],
  ['b', 'graph of the branches'],
  ['t', 'list of the tool calls'],
  ['1 2 3', 'the ways to look at calls, at a file, or at a comparison'],
  ['c', 'copy the id of the turn'],
  ['P', 'print the session'],
  ['g s', 'all sessions'],
  ['g t', 'trees of attempts'],
  ['Esc', 'close'],
  ['?', 'this list'],
];

export function Help(): JSX.Element {
  const [open, setOpen] = useState(false);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => bind('help', {'?': () => setOpen(true)}), []);
  useEffect(() => {
    const show = (): void => setOpen(true);
    addEventListener('spoor-help', show);
    return () => removeEventListener('spoor-help', show);
  }, []);
  useEffect(() => {
    if (open) dialog.current?.showModal();
    else dialog.current?.close();
  }, [open]);
  return (
    <dialog ref={dialog} class="help" aria-labelledby="help-title" onClose={() => setOpen(false)}
      onClick={(event) => { if (event.target === dialog.current) setOpen(false); }}>
      <div>
        <h2 id="help-title">Keys</h2>
        <dl>{kKeys.map(([keys, says]) => (
          <div><dt>{keys.split(' ').map((each) => <kbd>{each.replace(',', '')}</kbd>)}</dt><dd>{says}</dd></div>))}</dl>
        <button onClick={() => setOpen(false)}>Close</button>
      </div>
    </dialog>
  );
}
