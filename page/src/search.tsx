// Turns of all sessions by what they say.
import type {JSX} from 'preact';
import {useEffect, useRef, useState} from 'preact/hooks';

import {ask} from './api';
import {Failure, Top} from './app';
import {clock, count, day} from './format';
import {bind} from './keys';
import {openTurn} from './places';
import {go, link} from './router';
import {Marked, oneLine} from './text';

interface Found {
  hash: string;
  type: string;
  depth: number;
  time: string | null;
  model: string | null;
  message: string;
  refs: string[];
  matches?: {text: string}[];
}

export function SearchView({query}: {query: URLSearchParams}): JSX.Element {
  const what = query.get('q') ?? '';
  const [found, setFound] = useState<Found[] | null>(null);
  const [error, setError] = useState<unknown>(null);
  const chosen = useRef(-1);
  const list = useRef<HTMLOListElement>(null);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    document.title = `${what} · spoor`;
    setFound(null);
    if (!what) return;
    const cancel = new AbortController();
    ask<{turns: Found[]}>('search', {text: what, limit: 300}, cancel.signal)
      .then(({turns}) => { setFound(turns); setError(null); }, (why: unknown) => { if (!cancel.signal.aborted) setError(why); });
    return () => cancel.abort();
  }, [what]);
  const choose = (at: number): void => {
    const next = Math.max(0, Math.min((found?.length ?? 1) - 1, at));
    chosen.current = next;
    list.current?.querySelectorAll<HTMLElement>('a')[next]?.focus();
  };
  useEffect(() => bind('search', {'j': () => choose(chosen.current + 1), 'k': () => choose(chosen.current - 1), '/': () => field.current?.focus()}));
  return (
    <>
      <Top><a href={link('sessions')}>sessions</a><span aria-current="page">search</span></Top>
      <main class="flow">
        <h1 class="unseen">Search</h1>
        <form role="search" class="filters" onSubmit={(event) => {
          event.preventDefault();
          go(link('search', '', {q: field.current!.value}));
        }}>
          <input ref={field} type="search" key={what} defaultValue={what} aria-label="Search all texts" placeholder="search all texts"/>
        </form>
        {error ? <Failure error={error}/> : null}
        {found ? <p class="sums" role="status"><b>{count(found.length, 'turn')}{found.length === 300 ? ' or more' : ''}</b></p> : what && !error ? <p class="muted wait">searching…</p> : null}
        <ol class="hits" ref={list}>
          {(found ?? []).map((each) => (
            <li>
              <a href={link('session', each.hash, {at: each.depth})} onClick={(event) => {
                event.preventDefault();
                void openTurn(each.hash);
              }}>
                <span class="small muted"><b>{each.type}</b> {day(each.time)} {clock(each.time)} {oneLine(each.model ?? '')}</span>
                <span class="text"><Marked text={oneLine(each.matches?.[0]?.text ?? each.message).slice(0, 400)} what={what}/></span>
              </a>
            </li>))}
        </ol>
      </main>
    </>
  );
}
