// Trees of attempts: all of them, and one with what each model made of it.
import type {JSX} from 'preact';
import {useEffect, useRef, useState} from 'preact/hooks';

import type {TreeRow, VariantRow} from './api';
import {Failure, Top, useAnswer} from './app';
import {ago, count, grouped, money, shortNumber, short} from './format';
import {bind} from './keys';
import {go, link} from './router';
import {oneLine} from './text';

type Attempt = VariantRow['rows'][number];

export function TreesView(): JSX.Element {
  const [answer, error] = useAnswer<{trees: TreeRow[]}>('trees', {}, true);
  const [chosen, drawChosen] = useState(-1);
  const place = useRef(-1);
  const choose = (at: number): void => {
    place.current = Math.max(0, Math.min(rows.length - 1, at));
    drawChosen(place.current);
  };
  const rows = answer?.trees ?? [];
  useEffect(() => { document.title = 'trees of attempts · spoor'; }, []);
  useEffect(() => bind('trees', {
    'j': () => choose(place.current + 1),
    'k': () => choose(place.current - 1),
    'Enter': () => { if (rows[place.current]) go(link('tree', rows[place.current]!.tree)); },
  }));
  return (
    <>
      <Top><a href={link('sessions')}>sessions</a><span aria-current="page">trees</span></Top>
      <main class="flow wide">
        <h1>Trees of attempts</h1>
        {error ? <Failure error={error}/> : null}
        {!answer && !error ? <p class="muted wait">reading…</p> : null}
        {answer && !rows.length
          ? <p class="empty">No trees yet. <code>spoor fork REV --n 8</code> makes eight attempts from one turn.</p> : null}
        <ol class="trees">
          {rows.map((row, i) => (
            <li class={i === chosen ? 'chosen' : ''}>
              <a href={link('tree', row.tree)}><code>{short(row.tree)}</code> {oneLine(row.goal).slice(0, 200) || '(no request)'}</a>
              <p class="facts">
                <span>{ago(row.time)}</span>
                <span>{`${grouped(row.ended)} of ${count(row.attempts, 'attempt')} ended`}</span>
                <span class={row.judged && row.passes ? 'added' : ''}>{row.judged ? `${grouped(row.passes)} of ${grouped(row.judged)} judged pass` : 'none judged'}</span>
                {row.tokens ? <span>{shortNumber(row.tokens)} tok</span> : null}
                {row.cost_usd === null ? null : <span>{money(row.cost_usd, row.is_complete)}</span>}
                {row.dataset ? <a href={link('tree', '', {dataset: row.dataset})}>data set {oneLine(row.dataset)}</a> : null}
                <span>{row.models.map(oneLine).join(', ')}</span>
              </p>
            </li>))}
        </ol>
      </main>
    </>
  );
}

// One tree, or all trees of a data set.
export function TreeView({tree, dataset}: {tree: string; dataset: string}): JSX.Element {
  const [answer, error] = useAnswer<{variants: VariantRow[]}>('compare', dataset ? {dataset} : {tree: [tree]}, true);
  const [pair, setPair] = useState<string[]>([]);
  const name = dataset ? `data set ${oneLine(dataset)}` : `tree ${short(tree)}`;
  useEffect(() => { document.title = `${name} · spoor`; }, [name]);
  useEffect(() => bind('tree', {'Escape': () => go(link('trees'))}));
  const variants = answer?.variants ?? [];
  const mark = (branch: string): void => setPair((before) =>
    before.includes(branch) ? before.filter((each) => each !== branch) : [...before, branch].slice(-2));
  const ks = [...new Set(variants.flatMap((row) => row.pass_at_k.map((each) => each.k)))].sort((a, b) => a - b);
  return (
    <>
      <Top><a href={link('sessions')}>sessions</a><a href={link('trees')}>trees</a><span aria-current="page">{name}</span></Top>
      <main class="flow wide">
        <h1>{dataset ? `Data set ${oneLine(dataset)}` : `Tree ${short(tree)}`}</h1>
        {error ? <Failure error={error}/> : null}
        {!answer && !error ? <p class="muted wait">reading…</p> : null}
        {variants.length ? (
          <>
            <div class="scrolls" tabIndex={0} role="region" aria-label="Models">
              <table class="models">
                <thead><tr><th scope="col">model</th><th scope="col">ended</th><th scope="col">judged</th><th scope="col">pass</th>
                  {ks.map((k) => <th scope="col">pass@{k}</th>)}<th scope="col">tokens</th><th scope="col">cost</th><th scope="col">cost per pass</th></tr></thead>
                <tbody>{variants.map((row) => (
                  <tr>
                    <th scope="row">{oneLine(row.model)}</th><td>{`${grouped(row.ended)}/${grouped(row.attempts)}`}</td><td>{grouped(row.judged)}</td><td>{grouped(row.passes)}</td>
                    {ks.map((k) => <td><Estimate row={row} k={k}/></td>)}
                    <td>{row.tokens ? shortNumber(row.tokens) : ''}</td><td>{money(row.cost_usd, row.is_complete)}</td><td>{money(row.cost_per_pass_usd, row.is_complete)}</td>
                  </tr>))}</tbody>
              </table>
            </div>
            <p class="sums" role="status">
              {pair.length === 2 ? <a class="button" href={link('compare', '', {a: pair[0]!, b: pair[1]!})}>compare {oneLine(pair[0]!)} and {oneLine(pair[1]!)}</a>
                : <span>mark two attempts (○) to compare them</span>}</p>
            {variants.map((row) => (
              <section class="attempts" aria-label={oneLine(row.model)}>
                <h2>{oneLine(row.model)}</h2>
                <ol>{row.rows.map((each) => <AttemptItem row={each} isMarked={pair.includes(each.branch)} mark={mark}/>)}</ol>
              </section>))}
          </>) : null}
      </main>
    </>
  );
}

// pass@k with its interval, drawn from 0 to 1. Attempts that all agree have none.
function Estimate({row, k}: {row: VariantRow; k: number}): JSX.Element {
  const found = row.pass_at_k.find((each) => each.k === k);
  if (!found) return <span class="muted">too few</span>;
  const agree = row.passes === 0 ? 'none pass' : row.passes === row.judged ? 'all pass' : '';
  const x = (value: number): number => 4 + value * 72;
  return (
    <span class="estimate">
      <b>{found.value.toFixed(2)}</b> <span class="small muted">{agree || `${found.low.toFixed(2)} to ${found.high.toFixed(2)}`}</span>
      <svg width="80" height="8" aria-hidden="true">
        <line class="scale" x1={x(0)} x2={x(1)} y1="4" y2="4"/>
        {agree ? null : <line class="interval" x1={x(found.low)} x2={x(found.high)} y1="4" y2="4"/>}
        <circle cx={x(found.value)} cy="4" r="3"/>
      </svg>
    </span>
  );
}

const kVerdict: Record<string, string> = {pass: '✓', fail: '✕', unjudged: '·'};

function AttemptItem({row, isMarked, mark}: {row: Attempt; isMarked: boolean; mark: (branch: string) => void}): JSX.Element {
  const isThere = row.state !== 'dropped';
  return (
    <li>
      <button class="quiet" aria-pressed={isMarked} aria-label={`mark ${oneLine(row.branch)}`} disabled={!isThere} onClick={() => mark(row.branch)}>{isMarked ? '●' : '○'}</button>
      <span class={`verdict ${row.verdict}`}><span aria-hidden="true">{kVerdict[row.verdict] ?? '?'} </span>{row.verdict}</span>
      {isThere ? <a href={link('session', row.branch)}>{oneLine(row.branch)}</a> : <span class="muted">{oneLine(row.branch)}</span>}
      <span class="small muted">{(row.stopped === 'planner' ? row.by : row.stopped) || row.state}</span>
      <span class="small">{row.steps ? count(row.steps, 'step') : ''}</span>
      <span class="small">{row.tokens ? `${shortNumber(row.tokens)} tok` : ''}</span>
      <span class="small">{money(row.cost_usd)}</span>
      <code class="small">{short(row.end)}</code>
    </li>
  );
}
