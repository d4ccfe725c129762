// The prompt at a turn: what was sent there, what was left out and why, and what changed since.
import type {JSX} from 'preact';
import {useEffect, useMemo, useState} from 'preact/hooks';

import {ask, type Commit, type DiffAnswer, isSaved, type Message, type Prompt, type Turn} from './api';
import {Failure} from './app';
import {count, grouped, short, shortNumber} from './format';
import {Actions} from './actions';
import {Switch} from './sessions';
import {Changed, head, lineCount, oneLine, plain} from './text';

type Tab = 'prompt' | 'changes' | 'left out' | 'record';

interface Shown {
  commit: string;
  prompt: Prompt;
  record: Commit;
}

interface Sent {
  verdict: string;
  why: string | null;
  model: string | null;
  renderer: string;
  digest: string;
  bytes: number;
  treatments: Record<string, unknown>[];
  body: string | null;
}

const kMessages = 60;

export function Inspector({turn, position, length, marked, branch, seek, close, changed}: {turn: Turn | undefined; position: number; length: number;
    marked: number | null; branch: string; seek: (position: number) => void; close: () => void; changed: () => void}): JSX.Element {
  const [tab, setTab] = useState<Tab>('prompt');
  const [shown, setShown] = useState<Shown | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [reasoning, setReasoning] = useState(false);
  const [most, setMost] = useState(kMessages);
  useEffect(() => {
    if (!turn) return;
    const cancel = new AbortController();
    // While one moves fast, only the last place is asked for.
    const timer = setTimeout(() => {
      Promise.all([
        ask<Prompt>('compile', {rev: turn.commit, include_reasoning: reasoning, last: most}, cancel.signal),
        ask<Commit>('show', {rev: turn.commit}, cancel.signal),
      ]).then(([prompt, record]) => {
        setShown({commit: turn.commit, prompt, record});
        setError(null);
      }, (why: unknown) => { if (!cancel.signal.aborted) setError(why); });
    }, 40);
    return () => {
      clearTimeout(timer);
      cancel.abort();
    };
  }, [turn?.commit, reasoning, most]);
  const isStale = shown !== null && shown.commit !== turn?.commit;
  return (
    <aside class="inspector" aria-label="Prompt">
      <div class="slider">
        <button class="quiet" aria-label="earlier" onClick={() => seek(position - 1)}>‹</button>
        <input type="range" min={0} max={Math.max(0, length - 1)} value={position} aria-label="Turn"
          aria-valuetext={`turn ${position} of ${length - 1}`} onInput={(event) => seek(Number(event.currentTarget.value))}/>
        <button class="quiet" aria-label="later" onClick={() => seek(position + 1)}>›</button>
        <button class="quiet" aria-label="Close the prompt" onClick={close}>×</button>
      </div>
      <p class="facts"><b>turn {position}</b> {turn ? <code title={turn.commit}>{short(turn.commit)}</code> : null}
        {shown ? <span>{count(shown.prompt.count, 'message')}</span> : null}
        {shown ? <span>{shown.prompt.tokens_estimated ? '≈' : ''}{shortNumber(shown.prompt.tokens)} tokens</span> : null}
        {shown?.record.counterfactual ? <span class="odd">counterfactual</span> : null}</p>
      <Switch name="what" options={['prompt', 'changes', `left out`, 'record']} value={tab} set={(value) => setTab(value as Tab)}/>
      {error ? <Failure error={error}/> : null}
      <div class={isStale ? 'sheet stale' : 'sheet'} tabIndex={0} role="region" aria-label={tab}>
        {shown && tab === 'prompt' ? <PromptSheet shown={shown} reasoning={reasoning} setReasoning={setReasoning} more={() => setMost(most * 8)}/> : null}
        {shown && tab === 'changes' ? <Changes commit={shown.commit} record={shown.record}/> : null}
        {shown && tab === 'left out' ? <LeftOut prompt={shown.prompt}/> : null}
        {shown && tab === 'record' ? <Record shown={shown} marked={marked} branch={branch} changed={changed}/> : null}
      </div>
    </aside>
  );
}

// ---- The prompt ----

function PromptSheet({shown, reasoning, setReasoning, more}: {shown: Shown; reasoning: boolean; setReasoning: (on: boolean) => void; more: () => void}): JSX.Element {
  const {prompt} = shown;
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const messages = prompt.messages;
  const from = prompt.count - messages.length;
  return (
    <>
      <SentRequest commit={shown.commit}/>
      <CoverageOf commit={shown.commit}/>
      {isSaved() ? null : <label class="check"><input type="checkbox" checked={reasoning} onChange={(event) => setReasoning(event.currentTarget.checked)}/> with reasoning</label>}
      {from > 0 ? <button class="more" onClick={more}>… {grouped(from)} earlier messages</button> : null}
      {messages.map((message, i) => (
        <MessageItem key={from + i} message={message} number={from + i + 1} open={open.has(from + i)} toggle={() => setOpen((before) => {
          const next = new Set(before);
          if (!next.delete(from + i)) next.add(from + i);
          return next;
        })}/>))}
    </>
  );
}

export function MessageItem({message, number, open, toggle}: {message: Message; number: number; open: boolean; toggle: () => void}): JSX.Element {
  const text = message.text ?? '';
  const shown = open ? text : head(text, 6, 600);
  const isCut = shown.length < text.length;
  return (
    <section class={`message ${message.role}`}>
      <p class="who"><b>{oneLine(message.type === message.role ? message.role : `${message.role} (${message.type})`)}</b>
        <span>{number}</span>
        {message.name ? <span>{oneLine(message.name)}</span> : null}
        {message.priority && message.priority !== 'normal' ? <span class="odd">{message.priority}</span> : null}
        {message.edited ? <span class="odd">edited</span> : null}
        <span class="grow"/><span>{grouped(message.tokens)} tok</span></p>
      {shown ? <p class={message.role === 'tool' ? 'plain output' : 'plain'}>{plain(shown)}</p> : null}
      {(message.tool_calls ?? []).map((call) => (
        <p class="plain call"><span class="tool">{oneLine(call.name)}</span> {plain(open ? call.arguments : oneLine(call.arguments).slice(0, 240))}</p>))}
      {isCut || open ? <button class="more" aria-expanded={open} onClick={toggle}>{open ? 'fold' : `… ${count(Math.max(1, lineCount(text) - lineCount(shown)), 'more line')}`}</button> : null}
    </section>
  );
}

// What of the prompt an imported session file does not have. It takes the whole line, so it comes later.
function CoverageOf({commit}: {commit: string}): JSX.Element | null {
  const [words, setWords] = useState<[string, string][] | null>(null);
  useEffect(() => {
    setWords(null);
    const cancel = new AbortController();
    const timer = setTimeout(() => {
      ask<Prompt>('compile', {rev: commit, last: 0, coverage: true}, cancel.signal).then(({coverage}) => {
        setWords(Object.entries(coverage ?? {}).filter((each): each is [string, string] => typeof each[1] === 'string'));
      }, () => undefined);
    }, 200);
    return () => {
      clearTimeout(timer);
      cancel.abort();
    };
  }, [commit]);
  if (!words?.length) return null;
  const missing = words.filter(([, value]) => ['absent', 'partial', 'unknown', 'opaque', 'none'].includes(value));
  const shown = (name: string): string => name.replace(/_/g, ' ');
  return (
    <details class={missing.length ? 'coverage partial' : 'coverage whole'}>
      <summary>{missing.length ? `partial: ${missing.map(([name, value]) => `${shown(name)} ${value}`).join(', ')}` : 'nothing is known to be missing'}</summary>
      <dl>{words.map(([name, value]) => <div><dt>{shown(name)}</dt><dd>{value}</dd></div>)}</dl>
    </details>
  );
}

// The bytes of the request that this turn answered, if they are recorded.
function SentRequest({commit}: {commit: string}): JSX.Element | null {
  const [sent, setSent] = useState<Sent | null>(null);
  useEffect(() => {
    setSent(null);
    const cancel = new AbortController();
    ask<Sent>('prompt', {revision: commit}, cancel.signal).then(setSent, () => undefined);
    return () => cancel.abort();
  }, [commit]);
  const parts = useMemo(() => (sent?.body ? partsOf(sent.body) : null), [sent]);
  if (!sent) return null;
  return (
    <section class="exact">
      <p class={sent.verdict === 'verified' ? 'coverage whole' : 'coverage partial'}>
        <b>{sent.verdict === 'verified' ? 'the exact request' : oneLine(sent.verdict)}</b>{' '}
        {sent.verdict === 'verified' ? `${grouped(sent.bytes)} bytes, whose digest is the one recorded when it was sent` : oneLine(sent.why ?? '')}
      </p>
      <p class="facts"><span>{oneLine(sent.model ?? '')}</span><span>{oneLine(sent.renderer)}</span><code title={sent.digest}>{short(sent.digest.split(' ').pop() ?? '')}</code></p>
      {sent.treatments.length ? (
        <ul class="plainlist">{sent.treatments.map((each) => <li class="odd">{oneLine(Object.values(each).filter((word) => typeof word === 'string').join(' '))}</li>)}</ul>) : null}
      {parts?.system ? <details class="sent"><summary>system prompt, {grouped(parts.system.length)} characters</summary><p class="plain">{plain(parts.system)}</p></details> : null}
      {parts?.tools.length ? (
        <details class="sent"><summary>{count(parts.tools.length, 'tool')}</summary>
          <dl class="record">{parts.tools.map(([name, says]) => <div><dt>{oneLine(name)}</dt><dd>{plain(head(says, 3))}</dd></div>)}</dl></details>) : null}
      {sent.body ? <Bytes text={sent.body}/> : null}
    </section>
  );
}

function Bytes({text}: {text: string}): JSX.Element {
  const [open, setOpen] = useState(false);
  return (
    <details class="sent" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>its bytes</summary>
      {open ? <pre class="code" tabIndex={0} aria-label="request">{plain(text.slice(0, 400_000))}</pre> : null}
    </details>
  );
}

// The system prompt and the tools of a request, whatever its provider.
function partsOf(body: string): {system: string; tools: [string, string][]} {
  const texts = (value: unknown): string => typeof value === 'string' ? value
    : Array.isArray(value) ? value.map(texts).join('\n') : value && typeof value === 'object'
      ? texts((value as Record<string, unknown>)['text'] ?? (value as Record<string, unknown>)['parts'] ?? (value as Record<string, unknown>)['content'] ?? '') : '';
  try {
    const read = JSON.parse(body) as Record<string, unknown>;
    const messages = (read['messages'] ?? read['input'] ?? []) as unknown;
    const first = Array.isArray(messages)
      ? messages.filter((each: Record<string, unknown>) => each && (each['role'] === 'system' || each['role'] === 'developer')) : [];
    const system = texts(read['system'] ?? read['instructions'] ?? read['systemInstruction'] ?? read['system_instruction'] ?? first);
    const tools: [string, string][] = [];
    const add = (value: unknown): void => {
      if (Array.isArray(value)) return value.forEach(add);
      if (!value || typeof value !== 'object') return;
      const tool = value as Record<string, unknown>;
      if (tool['functionDeclarations'] ?? tool['function_declarations']) return add(tool['functionDeclarations'] ?? tool['function_declarations']);
      const inner = (tool['function'] ?? tool) as Record<string, unknown>;
      tools.push([String(inner['name'] ?? tool['type'] ?? 'tool'), String(inner['description'] ?? '')]);
    };
    add(read['tools']);
    return {system, tools};
  } catch {
    return {system: '', tools: []};
  }
}

// ---- What changed since the request before ----

function Changes({commit, record}: {commit: string; record: Commit}): JSX.Element {
  const [answer, setAnswer] = useState<DiffAnswer | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [from, setFrom] = useState('');
  useEffect(() => {
    const cancel = new AbortController();
    (async () => {
      // The answer before this one was the reply to the request before.
      const {commits} = await ask<{commits: Commit[]}>('log', {rev: commit, limit: 2, types: ['assistant']}, cancel.signal);
      const earlier = commits.find((each) => each.hash !== commit) ?? null;
      const base = earlier?.parents[0] ?? record.parents[0] ?? '';
      setFrom(base);
      setAnswer(await ask<DiffAnswer>('diff', base ? {from: base, to: commit} : {to: commit}, cancel.signal));
      setError(null);
    })().catch((why: unknown) => { if (!cancel.signal.aborted) setError(why); });
    return () => cancel.abort();
  }, [commit]);
  if (error) return <Failure error={error}/>;
  if (!answer) return <p class="muted">…</p>;
  return (
    <>
      <p class="muted small">{from ? <>since the request before, at <code>{short(from)}</code></> : 'since nothing was said'}</p>
      <DiffSheet answer={answer}/>
    </>
  );
}

export function DiffSheet({answer}: {answer: DiffAnswer}): JSX.Element {
  const [most, setMost] = useState(60);
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const sign = answer.token_delta >= 0 ? '+' : '−';
  return (
    <>
      <p class="facts"><b class="added">+{grouped(answer.added)}</b><b class="removed">−{grouped(answer.removed)}</b>
        <span>{grouped(answer.changed)} changed</span><span>{grouped(answer.unchanged)} the same</span>
        <span>{sign}{grouped(Math.abs(answer.token_delta))} tokens</span></p>
      {Object.entries(answer.config).map(([name, [before, after]]) => (
        <p class="small">{oneLine(name)}: <del>{oneLine(JSON.stringify(before))}</del> → <ins>{oneLine(JSON.stringify(after))}</ins></p>))}
      {answer.messages.length ? null : <p class="muted">The prompts are the same.</p>}
      {answer.messages.slice(0, most).map((each, i) => {
        const shown = (each.after ?? each.before)!;
        const before = each.before ? textOf(each.before) : '';
        const after = each.after ? textOf(each.after) : '';
        const full = open.has(i);
        const cut = (text: string): string => plain(full ? text : head(text, 10, 1200));
        const isCut = !full && (cut(before).length < before.length || cut(after).length < after.length);
        return (
          <section class={`change ${each.change} ${shown.role === 'tool' ? 'of-tool' : ''}`}>
            <p class="who"><b class={each.change === 'added' ? 'added' : each.change === 'removed' ? 'removed' : 'odd'}>{each.change}</b>
              <span>{oneLine(shown.role)}{shown.name ? ` ${oneLine(shown.name)}` : ''}</span><span class="grow"/>
              <span>{each.token_delta >= 0 ? '+' : '−'}{grouped(Math.abs(each.token_delta))} tok</span></p>
            {each.before && each.after ? <Changed before={before} after={after} cut={cut}/>
              : <p class={`plain ${each.change}`}>{cut(before + after)}</p>}
            {isCut ? <button class="more" onClick={() => setOpen(new Set([...open, i]))}>… more</button> : null}
          </section>);
      })}
      {answer.messages.length > most ? <button class="more" onClick={() => setMost(most * 10)}>… {grouped(answer.messages.length - most)} more</button> : null}
    </>
  );
}

function textOf(message: Message): string {
  const calls = (message.tool_calls ?? []).map((call) => `${call.name} ${call.arguments}`);
  return [message.text ?? '', ...calls].filter(Boolean).join('\n');
}

// ---- What was left out ----

const kWhy: Record<string, string> = {
  skip: 'skipped: by its type, or because it was marked so',
  directive: 'a directive, which is never sent',
  window: 'outside the window of user turns',
  budget: 'over the budget of tokens',
  clearing: 'an old result, sent without its text',
};

function LeftOut({prompt}: {prompt: Prompt}): JSX.Element {
  if (!Object.keys(prompt.left_out_counts ?? {}).length) return <p class="muted">Nothing was left out.</p>;
  const groups = new Map<string, string[]>(Object.keys(prompt.left_out_counts ?? {}).map((why) => [why, []]));
  for (const {hash, why} of prompt.left_out) if (hash) groups.get(why)?.push(hash);
  return (
    <>
      {[...groups].map(([why, hashes]) => (
        <section class="left">
          <h2>{why} <span class="muted">{grouped(prompt.left_out_counts?.[why] ?? hashes.length)}</span></h2>
          <p class="muted small">{kWhy[why] ?? ''}</p>
          <LeftTurns hashes={hashes.slice(-40).reverse()}/>
          {(prompt.left_out_counts?.[why] ?? 0) > 40 ? <p class="muted small">and {grouped((prompt.left_out_counts?.[why] ?? 0) - 40)} earlier</p> : null}
        </section>))}
    </>
  );
}

function LeftTurns({hashes}: {hashes: string[]}): JSX.Element {
  const [turns, setTurns] = useState<Commit[]>([]);
  useEffect(() => {
    let dropped = false;
    void Promise.all(hashes.map((rev) => ask<Commit>('show', {rev}).catch(() => null))).then((found) => {
      if (!dropped) setTurns(found.filter((each): each is Commit => each !== null));
    });
    return () => { dropped = true; };
  }, [hashes.join()]);
  return <ul class="plainlist">{turns.map((each) => (
    <li><code>{short(each.hash)}</code> <b>{each.type}</b> {oneLine(each.message).slice(0, 120)}</li>))}</ul>;
}

// ---- The record ----

function Record({shown, marked, branch, changed}: {shown: Shown; marked: number | null; branch: string; changed: () => void}): JSX.Element {
  const {record, prompt} = shown;
  const rows: [string, string][] = [
    ['commit', record.hash], ['parents', record.parents.join(' ')], ['type', record.type], ['author', record.author ?? ''],
    ['time', record.time ?? ''], ['model', record.model ?? ''], ['refs', record.refs.join(', ')], ['prompt hash', prompt.prompt_hash],
    ['bundle', record.prompt ?? ''], ['settings', Object.keys(prompt.config ?? {}).length ? JSON.stringify(prompt.config) : ''],
  ];
  const meta = record.meta ?? {};
  return (
    <>
      <Actions commit={record} marked={marked} branch={branch} changed={changed}/>
      <dl class="record">{rows.filter(([, value]) => value).map(([name, value]) => <div><dt>{name}</dt><dd>{oneLine(value)}</dd></div>)}</dl>
      <h2>facts</h2>
      <dl class="record">{Object.entries(meta).map(([name, value]) => (
        <div><dt>{oneLine(name)}</dt><dd>{oneLine(typeof value === 'string' ? value : JSON.stringify(value))}</dd></div>))}</dl>
    </>
  );
}
