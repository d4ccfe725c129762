// One session: its requests as chapters, one axis for time and tokens, and its turns.
import type {JSX} from 'preact';
import {memo} from 'preact/compat';
import {useCallback, useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState} from 'preact/hooks';

import {ask, type Chapter, type Piece, type SessionRow, type Turn} from './api';
import {Failure, Top} from './app';
import {count, day, clock, duration, folder, grouped, modelName, money} from './format';
import {Inspector} from './inspector';
import {bind} from './keys';
import {onMoved, onReady} from './live';
import {Offsets} from './offsets';
import {Paced} from './pace';
import {go, link, positionIn, replace} from './router';
import {Scroll} from './scroll';
import {oneLine} from './text';
import {Timeline, type Shown} from './timeline';
import {Agents, askedKey, failed, TurnItem} from './turn';
import {endEarly, readEarly, readTip, Turns} from './turns';

const kUsualHeight = 68;
const kMostPieces = 1200;
const kMostPrinted = 5000;  // Turns; more windows than that are kept.
const kAhead = 350;  // Pixels that are drawn above and below the window, once it is drawn itself.

// Runs a task when what was drawn is on the screen.
const afterFrame = (task: () => void): void => { requestAnimationFrame(() => setTimeout(task)); };

export function SessionView({revision, query}: {revision: string; query: URLSearchParams}): JSX.Element {
  const [turns, setTurns] = useState<Turns | null>(null);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    let dropped = false;
    const at = positionIn(query);
    readEarly(revision, at);
    const open = async (): Promise<void> => {
      const {commits: [tip]} = await readTip(revision);
      const made = new Turns(revision, tip ? tip.depth + 1 : 0);
      if (tip) await made.get(Math.min(at, tip.depth));
      endEarly();
      if (!dropped) setTurns(made);
    };
    open().catch((why: unknown) => { if (!dropped) setError(why); });
    return () => { dropped = true; };
  }, [revision]);
  if (error) return <><Top><a href={link('sessions')}>sessions</a></Top><main><Failure error={error}/></main></>;
  if (!turns) return <><Top><a href={link('sessions')}>sessions</a></Top><main class="wait" aria-busy="true"/></>;
  return <Reader revision={revision} turns={turns} query={query}/>;
}

// The row of the list of sessions, when it `begins`.
function useSession(revision: string, begins: boolean): SessionRow | null {
  const [row, setRow] = useState<SessionRow | null>(null);
  useEffect(() => {
    if (!begins) return;
    const find = new Paced((signal) => ask<{sessions: SessionRow[]}>('sessions', {}, signal).then(({sessions}) => {
      setRow(sessions.find((each) => String(each.number) === revision || each.branches.includes(revision) ||
        each.head === revision) ?? null);
    }));
    find.wake();
    const stop = onMoved(() => find.wake());
    return () => {
      stop();
      find.end();
    };
  }, [revision, begins]);
  return row;
}

interface Whole {
  pieces: Piece[];
  chapters: Chapter[];
}

// What takes the whole line, when it `begins`; the promise is for a key that is pressed before it is here.
function useWhole(revision: string, length: number, begins: boolean): [Whole, Promise<Whole>] {
  const [whole, setWhole] = useState<Whole>({pieces: [], chapters: []});
  const [reading, early] = useMemo(() => {
    let tell: (whole: Whole) => void = () => undefined;
    const early = new Promise<Whole>((done) => { tell = done; });
    return [new Paced(async (signal) => {
      const [{pieces}, {requests}] = await Promise.all([
        ask<{pieces: Piece[]}>('timeline', {revision, buckets: kMostPieces}, signal),
        ask<{requests: Chapter[]}>('requests', {revision, brief: true}, signal)]);
      const now = {pieces, chapters: requests.reverse()};
      setWhole(now);
      tell(now);
    }), early];
  }, [revision]);
  useEffect(() => { if (begins) reading.wake(); }, [reading, length, begins]);
  useEffect(() => () => reading.end(), [reading]);
  return [whole, early];
}

const kMostAgents = 60;

// Finds the lines of the session's sub-agents by what each was asked for.
function useAgents(session: SessionRow | null, branch: string): ReadonlyMap<string, string> {
  const [agents, setAgents] = useState<ReadonlyMap<string, string>>(new Map());
  const others = (session?.branches ?? []).filter((each) => each !== branch && /-agent-/.test(each)).slice(0, kMostAgents);
  const key = others.join(' ');
  useEffect(() => {
    if (!others.length) return;
    let dropped = false;
    void Promise.all(others.map(async (each): Promise<[string, string]> => {
      const {turns: [first]} = await ask<{turns: Turn[]}>('turns', {revision: each, from: 0, limit: 1, chars: 1000});
      return [askedKey(first?.text ?? ''), each];
    })).then((found) => { if (!dropped) setAgents(new Map(found.filter(([asked]) => asked))); }, () => undefined);
    return () => { dropped = true; };
  }, [key]);
  return agents;
}

function Reader({revision, turns, query}: {revision: string; turns: Turns; query: URLSearchParams}): JSX.Element {
  // The first turns come first.
  const [isShown, setShown] = useState(turns.length === 0);
  const session = useSession(revision, isShown);
  const branch = session && String(session.number) === revision ? session.session : revision;
  const agents = useAgents(session, branch);
  const [length, setLength] = useState(turns.length);
  const offsets = useMemo(() => new Offsets(turns.length, kUsualHeight), [turns]);
  const [{pieces, chapters}, early] = useWhole(revision, length, isShown);
  const start = query.get('at');
  const [active, drawActive] = useState(Math.max(0, Math.min(positionIn(query), turns.length - 1)));
  // Keys come faster than frames, so they go on from here.
  const place = useRef(active);
  const setActive = useCallback((to: number) => {
    place.current = to;
    drawActive(to);
  }, []);
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const [allOpen, setAllOpen] = useState(false);
  const [prompt, setPrompt] = useState(query.get('prompt') !== null);
  const [marked, setMarked] = useState<number | null>(null);
  const [printing, setPrinting] = useState(false);
  const [drawer, setDrawer] = useState(false);
  const [finding, setFinding] = useState<Finding | null>(null);
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const scroller = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const view = useRef<Shown>({from: active, to: active, changed: () => undefined}).current;
  const scroll = useRef(new Scroll((step) => Math.abs(step) > 4 * innerHeight)).current;
  const ahead = useRef(0);
  const list = useRef<HTMLDivElement>(null);
  // The row that must not move on the screen while heights above it become known.
  const anchor = useRef<{row: number; offset: number} | null>({row: active, offset: start !== null ? -80 : 0});

  useEffect(() => { document.title = `${session ? oneLine(session.title) : revision} · spoor`; }, [session, revision]);
  // In time for the first answer.
  useLayoutEffect(() => turns.onChange(() => redraw(0)), [turns]);

  // ---- New turns ----
  useEffect(() => {
    const grown = (to: number): void => {
      const box = scroller.current;
      const atEnd = box !== null && scroll.top + box.clientHeight > offsets.total - 60;
      void turns.grow(to).then(() => {
        const now = turns.length;  // It may have grown again.
        offsets.grow(now);
        setLength(now);
        if (!atEnd) return;
        setActive(now - 1);
        anchor.current = {row: now - 1, offset: 1e9};
        redraw(0);
      });
    };
    const shrunk = (to: number): void => {
      turns.length = to;
      turns.forget();
      offsets.grow(to);
      setLength(to);
      if (place.current >= to) setActive(Math.max(0, to - 1));
    };
    const stop = onMoved((moved) => {
      if (moved.branch !== branch) return;
      const to = moved.position + 1;
      if (to < turns.length) return shrunk(to);
      if (to === turns.length || moved.turns === 0) turns.forget();  // Some are others, or are marked.
      if (to > turns.length) grown(to);
    });
    const stopReady = onReady(() => {
      readTip(revision).then(({commits}) => {
        const to = (commits[0]?.depth ?? -1) + 1;
        if (to > turns.length) grown(to);
      }, () => undefined);
      redraw(0);  // What could not be read is asked for again.
    });
    return () => {
      stop();
      stopReady();
    };
  }, [branch, revision, turns, offsets]);

  // ---- Which rows are drawn ----
  const box = scroller.current;
  const height = box?.clientHeight || innerHeight;
  const total = offsets.total;
  const wantedTop = anchor.current ? Math.max(0, Math.min(offsets.before(anchor.current.row) + anchor.current.offset, Math.max(0, total - height)))
    : scroll.top;
  const first = printing ? 0 : offsets.at(Math.max(0, wantedTop - ahead.current));
  const last = printing ? Math.min(turns.length, kMostPrinted) - 1 : offsets.at(wantedTop + height + ahead.current);
  if (!printing) turns.want(first - 20, last + 20);

  useLayoutEffect(() => {
    const now = scroller.current;
    const inner = list.current;
    if (!now || !inner) return;
    const at = offsets.at(scroll.top);
    const held = anchor.current ?? {row: at, offset: scroll.top - offsets.before(at)};
    // Rows that are still to be read keep the height they had.
    for (const element of inner.children) {
      if (!(element instanceof HTMLElement) || element.dataset['here'] !== 'yes') continue;
      offsets.set(Number(element.dataset['row']), element.offsetHeight);
    }
    // The places of the spacer and of the rows in it belong to this effect, not to what is rendered.
    scroll.to(now, offsets.before(held.row) + held.offset, offsets.total);
    inner.style.transform = `translateY(${scroll.at(offsets.before(first))}px)`;
    const from = offsets.at(scroll.top);
    const to = offsets.at(scroll.top + now.clientHeight);
    if (from < first || (to > last && last < turns.length - 1)) redraw(0);
    else if (ahead.current === 0 && turns.peek(from) && turns.peek(to)) {
      ahead.current = 1;
      afterFrame(() => {
        ahead.current = kAhead;
        setShown(true);
        redraw(0);
      });
    }
    if (from === view.from && to === view.to) return;
    view.from = from;
    view.to = to;
    view.changed();
  });

  // Pictures and folds grow after they were drawn.
  useEffect(() => {
    let height = 0;
    const watch = new ResizeObserver(([entry]) => {
      const now = Math.round(entry!.contentRect.height);
      if (height && now !== height) redraw(0);
      height = now;
    });
    watch.observe(list.current!);
    return () => watch.disconnect();
  }, []);

  const rested = useCallback(() => { if (scroll.rest()) redraw(0); }, []);
  const resting = useRef(0);
  const scrolled = useCallback(() => {
    // The anchor holds as long as the page is where the page put it.
    const moved = Math.abs(scroll.scrolled(scroller.current!, offsets.total));
    if (moved >= 1) anchor.current = null;
    if (moved > innerHeight) ahead.current = 0;
    redraw(0);
    if (window.onscrollend !== undefined) return;
    clearTimeout(resting.current);  // A browser that does not say when somebody lets go.
    resting.current = window.setTimeout(rested, 300);
  }, []);

  // ---- Moving ----
  const seek = useCallback((position: number, where: 'near' | 'top' | 'middle' = 'middle') => {
    const to = Math.max(0, Math.min(turns.length - 1, position));
    setActive(to);
    const now = scroller.current;
    if (!now) return;
    scroll.rest();
    const top = offsets.before(to);
    const bottom = top + offsets.height(to);
    if (where === 'near') {
      if (top >= scroll.top + 40 && bottom <= scroll.top + now.clientHeight - 40) return;
      const up = top < scroll.top + 40;
      anchor.current = {row: to, offset: up || offsets.height(to) > now.clientHeight - 80 ? -60 : offsets.height(to) + 60 - now.clientHeight};
    } else {
      ahead.current = 0;
      anchor.current = {row: to, offset: where === 'top' ? -24 : -Math.round(now.clientHeight / 3)};
    }
    redraw(0);
  }, [turns, offsets]);

  const toggle = useCallback((position: number) => {
    setOpen((before) => {
      const next = new Set(before);
      if (!next.delete(position)) next.add(position);
      return next;
    });
    anchor.current = {row: position, offset: scroll.top - offsets.before(position)};
  }, [offsets]);


  const choose = setActive;
  const toRequest = useCallback((position: number) => {
    setDrawer(false);
    seek(position, 'top');
  }, [seek]);

  const chapterOf = useMemo(() => {
    let found = 0;
    chapters.forEach((each, i) => { if ((each.position ?? 0) <= active) found = i; });
    return found;
  }, [chapters, active]);

  const toChapter = (step: number): void => {
    const from = place.current;
    const next = step > 0 ? chapters.find((each) => (each.position ?? 0) > from)
      : [...chapters].reverse().find((each) => (each.position ?? 0) < from);
    if (next) seek(next.position ?? 0, 'top');
    else seek(step < 0 ? 0 : turns.length - 1);
  };

  // Goes to the next turn of a kind: `some` tells which pieces have one, `is` which turn it is.
  const toNext = async (step: number, some: (piece: Piece) => boolean, is: (turn: Turn) => boolean): Promise<void> => {
    const fails = (pieces.length ? pieces : (await early).pieces).filter(some);
    const here = place.current;
    const order = step > 0 ? fails.filter((piece) => piece.to > here) : fails.filter((piece) => piece.from < here).reverse();
    for (const piece of order) {
      const from = step > 0 ? Math.max(piece.from, here + 1) : Math.min(piece.to, here - 1);
      for (let at = from; at >= piece.from && at <= piece.to; at += step) {
        const turn = await turns.get(at);
        if (turn && is(turn)) return seek(at);
      }
    }
  };

  const compareWith = async (): Promise<void> => {
    if (marked === null || marked === active) return setMarked(marked === active ? null : active);
    const [a, b] = await Promise.all([turns.get(Math.min(marked, active)), turns.get(Math.max(marked, active))]);
    if (a && b) go(link('compare', '', {a: a.commit, b: b.commit, as: 'prompt'}));
  };

  // Only what is on the screen is in the document, so all of it is drawn to print it.
  const print = async (): Promise<void> => {
    for (let at = 0; at < Math.min(turns.length, kMostPrinted); at += 50) await turns.get(at);
    setPrinting(true);
    await new Promise((done) => setTimeout(done, 50));
    window.print();
    setPrinting(false);
  };

  // ---- Search ----
  const find = async (text: string, step: number): Promise<void> => {
    if (text === '') return setFinding(null);
    let now = finding;
    if (!now || now.text !== text) {
      const answer = await ask<{turns: {hash: string; depth: number}[]}>('search', {text, rev: revision, limit: 5000, ignore_case: undefined});
      now = {text, places: [...new Set(answer.turns.map((each) => each.depth))].sort((a, b) => a - b)};
      setFinding(now);
    }
    const places = now.places;
    if (!places.length) return;
    const next = step > 0 ? places.find((each) => each > place.current) ?? places[0]!
      : [...places].reverse().find((each) => each < place.current) ?? places[places.length - 1]!;
    seek(next);
  };

  useEffect(() => bind('session', {
    'j': () => seek(place.current + 1, 'near'),
    'k': () => seek(place.current - 1, 'near'),
    'ArrowDown': () => seek(place.current + 1, 'near'),
    'ArrowUp': () => seek(place.current - 1, 'near'),
    'g g': () => seek(0, 'top'),
    'G': () => seek(turns.length - 1),
    ']': () => toChapter(1),
    '[': () => toChapter(-1),
    'f': () => void toNext(1, hasFailed, failed),
    'F': () => void toNext(-1, hasFailed, failed),
    'd': () => void toNext(1, hasDecided, (turn) => turn.kind === 'decision'),
    'D': () => void toNext(-1, hasDecided, (turn) => turn.kind === 'decision'),
    'P': () => void print(),
    'Enter': () => toggle(place.current),
    'e': () => { setAllOpen(!allOpen); setOpen(new Set()); },
    'p': () => setPrompt(!prompt),
    'l': () => seek(place.current + 1, 'near'),
    'h': () => seek(place.current - 1, 'near'),
    'm': () => void compareWith(),
    'b': () => go(link('graph', revision)),
    't': () => go(link('calls', revision)),
    'c': () => { void turns.get(place.current).then((turn) => turn && navigator.clipboard?.writeText(turn.commit)); },
    '/': () => field.current?.focus(),
    'n': () => { if (finding) void find(finding.text, 1); },
    'N': () => { if (finding) void find(finding.text, -1); },
    'Escape': () => { setPrompt(false); setDrawer(false); setMarked(null); },
  }));

  useEffect(() => {
    const timer = setTimeout(() => replace(link('session', revision, {at: active || undefined, prompt: prompt ? 1 : undefined})), 150);
    return () => clearTimeout(timer);
  }, [active, prompt, revision]);

  const rows: JSX.Element[] = [];
  for (let row = first; row <= last && row < turns.length; ++row) {
    const turn = turns.peek(row);
    rows.push(
      <div data-row={row} data-here={turn ? 'yes' : 'no'} key={row} role="listitem" aria-setsize={turns.length} aria-posinset={row + 1}>
        {turn
          ? <TurnItem turn={turn} before={row > 0 ? turns.peek(row - 1) : undefined} session={branch} open={open.has(row) !== allOpen}
              active={row === active} marked={row === marked} toggle={toggle} choose={choose}/>
          : <div class="turn unread" style={{height: `${offsets.height(row)}px`}}><span class="position">{row}</span></div>}
      </div>);
  }

  const turnNow = turns.peek(active);
  return (
    <div class={`session ${prompt ? 'with-prompt' : ''}`}>
      <Top tools={
        <form class="find" role="search" onSubmit={(event) => {
          event.preventDefault();
          void find(field.current!.value, 1);
        }}>
          <input ref={field} type="search" placeholder="search  /" aria-label="Search in this session"/>
          {finding ? <span class="muted" role="status">{finding.places.length ? `${grouped(finding.places.filter((each) => each <= active).length)}/${grouped(finding.places.length)}` : 'none'}</span> : null}
        </form>}>
        <a href={link('sessions')}>sessions</a>
        <span aria-current="page">{session ? session.number : oneLine(revision)}</span>
      </Top>
      <section class="about" aria-label="Session">
        <h1>{session ? oneLine(session.title) : oneLine(revision)}</h1>
        <About session={session} revision={revision} length={length} branch={branch}/>
        <div class="actions">
          <button class="drawer" aria-expanded={drawer} onClick={() => setDrawer(!drawer)}>requests</button>
          <button aria-pressed={prompt} onClick={() => setPrompt(!prompt)}>prompt <kbd>p</kbd></button>
          <a class="button" href={link('calls', revision)}>calls <kbd>t</kbd></a>
          <a class="button" href={link('graph', revision)}>branches <kbd>b</kbd></a>
          {marked !== null
            ? <button onClick={() => void compareWith()}>compare {marked} with {active} <kbd>m</kbd></button>
            : <button onClick={() => setMarked(active)}>mark <kbd>m</kbd></button>}
        </div>
        <Timeline pieces={pieces} position={active} view={view} seek={seek}/>
      </section>
      <div class="columns">
        <nav class={drawer ? 'chapters shown' : 'chapters'} aria-label="Requests">
          <Chapters chapters={chapters} now={chapterOf} seek={toRequest}/>
        </nav>
        <main class="turns" ref={scroller} onScroll={scrolled} onScrollEnd={rested} tabIndex={-1} aria-label="Turns">
          <div class="spacer">
            <Agents.Provider value={agents}><div class="rows" role="list" ref={list}>{rows}</div></Agents.Provider>
          </div>
          {turns.length === 0 ? <p class="empty">Nothing has been said here yet.</p> : null}
        </main>
        {prompt ? <Inspector turn={turnNow} position={active} length={turns.length} marked={marked} branch={branch} seek={(to) => seek(to)}
          close={() => setPrompt(false)} changed={() => turns.forget()}/> : null}
      </div>
    </div>
  );
}

const hasFailed = (piece: Piece): boolean => piece.failed_calls + piece.failed_requests > 0;
const hasDecided = (piece: Piece): boolean => piece.decisions > 0;

interface Finding {
  text: string;
  places: number[];
}

const About = memo(function About({session, revision, length, branch}: {session: SessionRow | null; revision: string; length: number; branch: string}): JSX.Element {
  const others = session ? session.branches.filter((each) => each !== branch) : [];
  const took = session?.started && session.ended ? Date.parse(session.ended) - Date.parse(session.started) : null;
  return (
    <p class="facts">
      {session ? (
        <>
          <span class={`mark ${session.outcome}`}>{session.outcome}</span>
          <span>{oneLine(session.agent)}</span>
          <span title={oneLine(session.project)}>{oneLine(folder(session.project))}</span>
          <span>{session.models.slice(0, 3).map((each) => oneLine(modelName(each)).slice(0, 60)).join(', ')}{session.models.length > 3 ? ` +${session.models.length - 3}` : ''}</span>
          <span>{day(session.started)} {clock(session.started)}{took ? `, ${duration(took)}` : ''}</span>
          <span>{count(length, 'commit')}</span>
          <span>{count(session.calls, 'call')}{session.failed_calls ? `, ${grouped(session.failed_calls)} failed` : ''}</span>
          <span>{money(session.cost_usd, session.is_complete)}</span>
        </>) : <span>{oneLine(revision)}, {count(length, 'commit')}</span>}
      {others.length ? (
        <span class="others">{others.slice(0, 6).map((each) => <a href={link('session', each)}>{oneLine(each)}</a>)}
          {others.length > 6 ? <a href={link('graph', revision)}>+{others.length - 6}</a> : null}</span>) : null}
    </p>
  );
});

const Chapters = memo(function Chapters({chapters, now, seek}: {chapters: Chapter[]; now: number; seek: (position: number) => void}): JSX.Element {
  const list = useRef<HTMLOListElement>(null);
  const [from, setFrom] = useState(0);
  const kRow = 52;
  const height = list.current?.parentElement?.clientHeight || innerHeight;
  const first = Math.max(0, Math.floor(from / kRow) - 10);
  const last = Math.min(chapters.length, Math.ceil((from + height) / kRow) + 10);
  useEffect(() => {
    const scroller = list.current?.parentElement;
    if (!scroller) return;
    const moved = (): void => setFrom(scroller.scrollTop);
    scroller.addEventListener('scroll', moved, {passive: true});
    return () => scroller.removeEventListener('scroll', moved);
  }, []);
  useEffect(() => {
    const scroller = list.current?.parentElement;
    if (!scroller || !chapters.length) return;
    const top = now * kRow;
    if (top < scroller.scrollTop || top + kRow > scroller.scrollTop + scroller.clientHeight) scroller.scrollTop = top - scroller.clientHeight / 3;
  }, [now, chapters.length]);
  return (
    <ol ref={list} style={{height: `${chapters.length * kRow}px`}}>
      {chapters.slice(first, last).map((each, i) => (
        <li style={{transform: `translateY(${(first + i) * kRow}px)`}} key={each.position ?? -1}>
          <button aria-current={first + i === now ? 'true' : undefined} onClick={() => seek(each.position ?? 0)}>
            <span class="text">{each.commit ? oneLine(each.text).slice(0, 160) : 'before the first request'}</span>
            <span class="small">
              <span>{clock(each.time)}</span>
              {each.calls ? <span>{count(each.calls, 'call')}</span> : null}
              {each.failed_calls ? <span class="failed">{each.failed_calls}✕</span> : null}
              <span>{money(each.cost_usd)}</span>
            </span>
          </button>
        </li>))}
    </ol>
  );
});

