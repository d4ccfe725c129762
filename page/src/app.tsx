import type {ComponentChildren, JSX} from 'preact';
import {useEffect, useLayoutEffect, useRef, useState} from 'preact/hooks';

import {ApiError, ask, hasToken, isSaved, onWaiting, setToken} from './api';
import {TreesView, TreeView} from './attempts';
import {CallsView} from './calls';
import {CompareView} from './compare';
import {FileView} from './file';
import {GraphView} from './graph';
import {bind, Help} from './keys';
import {follow, onLive, onMoved, onReady} from './live';
import {Paced} from './pace';
import {link, read, type Route} from './router';
import {SearchView} from './search';
import {SessionView} from './session';
import {SessionsView} from './sessions';

// `visit` is another one each time that the address is changed by a reader, also within a view: a view changes its
// address by `replace`.
function useRoute(): Route & {visit: number} {
  const [route, set] = useState({...read(), visit: 0});
  useLayoutEffect(() => {  // Before a reader can type one.
    // The view may have changed the address since.
    const changed = ({newURL}: HashChangeEvent): void => set(({visit}) => ({...read(new URL(newURL).hash), visit: visit + 1}));
    addEventListener('hashchange', changed);
    return () => removeEventListener('hashchange', changed);
  }, []);
  return route;
}

export function App(): JSX.Element {
  const [known, setKnown] = useState(hasToken());
  const route = useRoute();
  const [view = '', what = ''] = route.path;
  useEffect(() => setKnown(hasToken()), [route]);
  if (!known && !hasToken()) {
    return <Entry done={() => {
      setKnown(true);
      follow();
    }}/>;
  }
  let page: JSX.Element;
  if (view === 'session' && what) page = <SessionView key={`${route.visit} ${what}`} revision={what} query={route.query}/>;
  else if (view === 'compare') page = <CompareView query={route.query}/>;
  else if (view === 'graph' && what) page = <GraphView key={what} session={what}/>;
  else if (view === 'calls' && what) page = <CallsView key={`${route.visit} ${what}`} session={what} query={route.query}/>;
  else if (view === 'file' && what) page = <FileView key={what} path={what}/>;
  else if (view === 'trees') page = <TreesView/>;
  else if (view === 'tree' && (what || route.query.get('dataset'))) {
    const dataset = route.query.get('dataset') ?? '';
    page = <TreeView key={what + dataset} tree={what} dataset={dataset}/>;
  }
  else if (view === 'search') page = <SearchView query={route.query}/>;
  else page = <SessionsView query={route.query}/>;
  return (
    <>
      {page}
      <Trouble key={route.visit}/>
      <Help/>
    </>
  );
}

// What could not be done, if no view says it itself, and that an answer takes long. It leaves when the server answers
// again.
function Trouble(): JSX.Element | null {
  const [error, setError] = useState<ApiError | null>(null);
  const [waiting, setWaiting] = useState(0);
  useEffect(() => onWaiting(setWaiting), []);
  useEffect(() => {
    const rejected = (event: PromiseRejectionEvent): void => {
      if (!(event.reason instanceof ApiError)) return;
      event.preventDefault();
      setError(event.reason);
    };
    addEventListener('unhandledrejection', rejected);
    const stop = onReady(() => setError(null));
    return () => {
      removeEventListener('unhandledrejection', rejected);
      stop();
    };
  }, []);
  if (!error && waiting > 0) {
    return <div class="trouble"><p role="status">No answer for 5 seconds: spoor is at work, or was stopped.</p></div>;
  }
  if (!error) return null;
  return <div class="trouble"><Failure error={error}/><button aria-label="Close" onClick={() => setError(null)}>×</button></div>;
}

function Entry({done}: {done: () => void}): JSX.Element {
  const field = useRef<HTMLInputElement>(null);
  return (
    <main class="entry">
      <h1>spoor</h1>
      <p>This page needs the token of the command that serves it. Open the whole address that <code>spoor open</code> prints,
        or paste it here.</p>
      <form onSubmit={(event) => {
        event.preventDefault();
        setToken(field.current!.value);
        if (hasToken()) done();
      }}>
        <label for="token">Address or token</label>
        <input id="token" ref={field} type="password" autocomplete="off" spellcheck={false}/>
        <button type="submit">Open</button>
      </form>
    </main>
  );
}

// An answer of an operation, or why there is none. One that `follows` is asked for again when the store was
// changed; what was answered before stays until then.
export function useAnswer<T>(op: string, members: Record<string, unknown>, follows = false): [T | null, unknown] {
  const [answer, setAnswer] = useState<T | null>(null);
  const [error, setError] = useState<unknown>(null);
  const key = JSON.stringify([op, members]);
  useEffect(() => {
    setAnswer(null);
    setError(null);
    const reading = new Paced((signal) => ask<T>(op, members, signal).then((got) => {
      setAnswer(got);
      setError(null);
    }, (why: unknown) => { if (!signal.aborted) setError(why); }));
    reading.wake();
    const begun = Date.now();
    const stop = follows ? onMoved(() => reading.wake()) : null;
    const stopReady = follows ? onReady(() => { if (Date.now() - begun > 2000) reading.wake(); }) : null;
    return () => {
      stop?.();
      stopReady?.();
      reading.end();
    };
  }, [key]);
  return [answer, error];
}

// A number that grows when the store was changed, at most each 200 ms, or by the function.
export function useVersion(): [number, () => void] {
  const [version, setVersion] = useState(0);
  useEffect(() => {
    let timer = 0;
    const stop = onMoved(() => {
      timer ||= setTimeout(() => {
        timer = 0;
        setVersion((n) => n + 1);
      }, 200);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, []);
  return [version, () => setVersion((n) => n + 1)];
}

// The head of each view: where one is, and what else there is.
export function Top({children, tools}: {children?: ComponentChildren; tools?: ComponentChildren}): JSX.Element {
  const [live, setLive] = useState(false);
  useEffect(() => onLive(setLive), []);
  useEffect(() => bind('nav', {
    'g s': () => { location.hash = link('sessions'); },
    'g t': () => { location.hash = link('trees'); },
  }), []);
  return (
    <header class="top">
      <a class="logo" href={link('sessions')}>spoor</a>
      <nav aria-label="Place">{children}</nav>
      <span class="grow"/>
      {tools}
      {isSaved() ? <span class="muted" title="made by spoor export --page: it does not follow the store">saved page</span>
        : <span class={live ? 'live on' : 'live'} role="status"
            title={live ? 'follows the store' : 'not connected'}>{live ? 'live' : 'offline'}</span>}
      <button class="quiet" aria-label="Keys" title="keys (?)" onClick={() => dispatchEvent(new CustomEvent('spoor-help'))}>?</button>
    </header>
  );
}

export function Failure({error}: {error: unknown}): JSX.Element {
  const known = error instanceof ApiError ? error : null;
  return (
    <div class="failure" role="alert">
      <p>{known ? known.message : String(error)}</p>
      {known?.hint ? <p class="muted">{known.hint}</p> : null}
    </div>
  );
}
