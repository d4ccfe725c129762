// Two turns, branches or runs: by what they did, by their prompts, and side by side.
import type {JSX} from 'preact';
import {useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState} from 'preact/hooks';

import type {DiffAnswer, LineRow} from './api';
import {Failure, Top, useAnswer} from './app';
import {count, grouped, short} from './format';
import {DiffSheet} from './inspector';
import {bind} from './keys';
import {go, link} from './router';
import {Switch} from './sessions';
import {oneLine} from './text';
import {TurnItem} from './turn';
import {Turns} from './turns';

interface Compared {
  change: 'same' | 'changed' | 'removed' | 'added';
  tool: string;
  target: string;
  outcome_before: string | null;
  outcome_after: string | null;
  before: string | null;
  after: string | null;
}

type Way = 'decisions' | 'prompt' | 'side by side';

export function CompareView({query}: {query: URLSearchParams}): JSX.Element {
  const a = query.get('a') ?? '';
  const b = query.get('b') ?? '';
  const way = (query.get('as') ?? 'decisions') as Way;
  const fields = useRef<HTMLFormElement>(null);
  useEffect(() => { document.title = `${shown(a)} and ${shown(b)} · spoor`; }, [a, b]);
  const to = (as: Way): void => go(link('compare', '', {a, b, as}));
  useEffect(() => bind('compare', {'1': () => to('decisions'), '2': () => to('prompt'), '3': () => to('side by side')}));
  return (
    <>
      <Top><a href={link('sessions')}>sessions</a><span aria-current="page">compare</span></Top>
      <main class="flow wide">
        <h1 class="unseen">Compare</h1>
        <form class="filters" ref={fields} onSubmit={(event) => {
          event.preventDefault();
          const [one, other] = [...fields.current!.querySelectorAll('input')].map((each) => each.value.trim());
          go(link('compare', '', {a: one, b: other, as: way}));
        }}>
          <input type="search" key={'a' + a} defaultValue={a} aria-label="A" placeholder="A: a session, branch or commit"/>
          <input type="search" key={'b' + b} defaultValue={b} aria-label="B" placeholder="B"/>
          <button type="submit">compare</button>
          <Switch name="how" options={['decisions', 'prompt', 'side by side']} value={way} set={(value) => to(value as Way)}/>
        </form>
        {a && b ? (
          way === 'prompt' ? <ByPrompt a={a} b={b}/> : way === 'side by side' ? <SideBySide a={a} b={b}/> : <ByDecision a={a} b={b}/>)
          : <p class="empty">Name two: sessions by number, branches, or commits. In a session, <kbd>m</kbd> marks a turn.</p>}
      </main>
    </>
  );
}

const shown = (revision: string): string => (/^[0-9a-f]{40,}$/.test(revision) ? short(revision) : oneLine(revision));

function ByDecision({a, b}: {a: string; b: string}): JSX.Element {
  const [all, setAll] = useState(false);
  const [answer, error] = useAnswer<{calls: Compared[]}>('compare', {before: a, after: b, all});
  if (error) return <Failure error={error}/>;
  if (!answer) return <p class="muted wait">comparing…</p>;
  const number = (change: string): number => answer.calls.filter((each) => each.change === change).length;
  return (
    <>
      <p class="sums" role="status"><b>{shown(a)} → {shown(b)}</b>
        <span class="removed">{grouped(number('removed'))} only in A</span><span class="added">{grouped(number('added'))} only in B</span>
        <span class="odd">{grouped(number('changed'))} different</span>
        <label class="check"><input type="checkbox" checked={all} onChange={(event) => setAll(event.currentTarget.checked)}/> also what is the same</label></p>
      <ol class="decisions">
        {answer.calls.map((each) => (
          <li class={each.change}>
            <span class="sign" aria-label={each.change}>{{same: ' ', changed: '~', removed: '−', added: '+'}[each.change]}</span>
            <span class="tool">{oneLine(each.tool)}</span>
            <span class="target">{oneLine(each.target)}</span>
            <span class="small">{each.outcome_before !== each.outcome_after && each.outcome_before && each.outcome_after
              ? `${each.outcome_before} → ${each.outcome_after}` : (each.outcome_after ?? each.outcome_before) === 'ok' ? '' : each.outcome_after ?? each.outcome_before}</span>
            <span class="ids">{each.before ? <code class="removed">{short(each.before)}</code> : null}{each.after ? <code class="added">{short(each.after)}</code> : null}</span>
          </li>))}
      </ol>
      {answer.calls.length ? null : <p class="empty">Both did the same.</p>}
    </>
  );
}

function ByPrompt({a, b}: {a: string; b: string}): JSX.Element {
  const [answer, error] = useAnswer<DiffAnswer>('diff', {from: a, to: b});
  if (error) return <Failure error={error}/>;
  return answer ? <div class="by-prompt"><DiffSheet answer={answer}/></div> : <p class="muted wait">comparing…</p>;
}

function SideBySide({a, b}: {a: string; b: string}): JSX.Element {
  const [answer, error] = useAnswer<{lines: LineRow[]}>('lines', {revision: [a, b]});
  if (error) return <Failure error={error}/>;
  if (!answer) return <p class="muted wait">comparing…</p>;
  const [one, other] = answer.lines;
  if (!one || !other) return <p class="empty">These are one line.</p>;
  const from = other.parts_at;
  return (
    <>
      <p class="sums" role="status"><b>{count(from, 'commit')} in common</b></p>
      <div class="sides">
        <Side line={one} revision={a} from={from}/>
        <Side line={other} revision={b} from={from}/>
      </div>
    </>
  );
}

function Side({line, revision, from}: {line: LineRow; revision: string; from: number}): JSX.Element {
  const turns = useMemo(() => new Turns(revision, line.length), [revision, line.length]);
  const [most, setMost] = useState(60);
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  // In time for the first answer.
  useLayoutEffect(() => turns.onChange(() => redraw(0)), [turns]);
  const first = Math.max(0, from - 1);
  const last = Math.min(line.length - 1, first + most);
  turns.want(first, last);
  const rows: JSX.Element[] = [];
  for (let at = first; at <= last; ++at) {
    const turn = turns.peek(at);
    if (!turn) continue;
    rows.push(<TurnItem key={at} turn={turn} before={turns.peek(at - 1)} session={line.name} open={open.has(at)} active={false} marked={at < from}
      choose={() => undefined} toggle={(position) => setOpen((before) => {
        const next = new Set(before);
        if (!next.delete(position)) next.add(position);
        return next;
      })}/>);
  }
  return (
    <section aria-label={shown(revision)}>
      <h2><a href={link('session', revision, {at: from})}>{shown(revision)}</a> <span class="muted">{count(line.length - from, 'own commit')}</span></h2>
      {rows}
      {last < line.length - 1 ? <button class="more" onClick={() => setMost(most + 200)}>… {count(line.length - 1 - last, 'more turn')}</button> : null}
    </section>
  );
}
