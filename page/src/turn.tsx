// One turn of a session.
import {createContext, type JSX} from 'preact';
import {memo} from 'preact/compat';
import {useContext, useEffect, useState} from 'preact/hooks';

import {ask, type Commit, type Turn, type TurnCall} from './api';
import {clock, count, duration, grouped, isFile, modelName, money, short, shortNumber} from './format';
import {link} from './router';
import {Diff, head, lineCount, oneLine, plain, Prose, Terminal, withoutColours} from './text';

const kFolded = {prose: 14, thinking: 4, output: 8, diff: 16, request: 10};

// Pictures whose bytes a browser decodes and nothing more; SVG is a document, so it is not one.
const kPictures = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/bmp']);

export function failed(turn: Turn): boolean {
  if (turn.decision === 'request-failed') return true;
  return turn.kind === 'tool' && (turn.is_error || turn.calls.some((call) => call.outcome === 'failed' || call.outcome === 'refused'));
}

interface Props {
  turn: Turn;
  before: Turn | undefined;
  session: string;
  open: boolean;
  active: boolean;
  marked: boolean;
  toggle: (position: number) => void;
  choose: (position: number) => void;
}

export const TurnItem = memo(function TurnItem(props: Props): JSX.Element {
  const {turn, open, active} = props;
  const names = ['turn', turn.kind, active && 'active', failed(turn) && 'has-failed', props.marked && 'compared',
                 turn.priority === 'skip' && 'skipped', turn.summarised && 'skipped', turn.is_injected && 'injected'];
  return (
    <article class={names.filter(Boolean).join(' ')} aria-label={`${turn.position}: ${turn.kind}`} aria-current={active ? 'true' : undefined}
      onClick={() => props.choose(turn.position)}>
      <div class="gutter" title={turn.time ?? undefined}>
        <span class="position">{turn.position}</span>
        <span class="clock">{clock(turn.time)}</span>
      </div>
      <div class="body">
        <Marks turn={turn}/>
        <Content {...props}/>
        {turn.attach.length ? <Attached turn={turn}/> : null}
        {turn.ends_answer ? <Spent turn={turn}/> : null}
      </div>
      {open ? <span class="unseen">unfolded</span> : null}
    </article>
  );
});

function Marks({turn}: {turn: Turn}): JSX.Element | null {
  const words = [turn.priority && (turn.priority === 'skip' ? 'skipped' : turn.priority), turn.edited && 'edited',
                 turn.summarised && 'summarised', turn.is_injected && 'added by a program', turn.is_erased && 'erased',
                 turn.is_absent && 'text not in this store'].filter(Boolean) as string[];
  return words.length ? <p class="marks">{words.map((word) => <span>{word}</span>)}</p> : null;
}

function Content(props: Props): JSX.Element | null {
  const {turn} = props;
  switch (turn.kind) {
    case 'user': return <Request {...props}/>;
    case 'reasoning': return <Thinking {...props}/>;
    case 'assistant': return <Answer {...props}/>;
    case 'tool': return <ToolResult {...props}/>;
    case 'decision': return <Folded {...props} label={`decision: ${turn.decision}`} lines={3}/>;
    case 'annotate':
    case 'edit':
    case 'merge':
      return (
        <p class="directive"><b>{turn.kind}</b> {oneLine(turn.text)}{' '}
          {turn.targets.map((each) => <code>{short(each)} </code>)}</p>);
    default: return <Folded {...props} label={turn.kind} lines={6}/>;
  }
}

// The text, in full if the turn is open; the rest is read when it is needed.
function useText(turn: Turn, open: boolean): {text: string; isWhole: boolean} {
  const [whole, setWhole] = useState<string | null>(null);
  const isCut = turn.text.length < turn.text_bytes && new TextEncoder().encode(turn.text).length < turn.text_bytes;
  useEffect(() => {
    if (!open || !isCut || whole !== null) return;
    let dropped = false;
    ask<Commit>('show', {rev: turn.commit}).then((commit) => {
      if (!dropped) setWhole(commit.text ?? '');
    }, () => undefined);
    return () => { dropped = true; };
  }, [open, isCut, turn.commit]);
  return {text: open && whole !== null ? whole : turn.text, isWhole: !isCut || whole !== null};
}

function More({turn, open, toggle, hidden}: {turn: Turn; open: boolean; toggle: Props['toggle']; hidden: string}): JSX.Element | null {
  if (!open && hidden === '') return null;
  return (
    <button class="more" aria-expanded={open} onClick={(event) => {
      event.stopPropagation();
      toggle(turn.position);
    }}>{open ? 'fold' : hidden}</button>
  );
}

function restOf(text: string, shown: string, turn: Turn, isWhole: boolean): string {
  if (!isWhole) return `… ${grouped(turn.text_bytes)} bytes in all`;
  if (shown.length >= text.replace(/\n$/, '').length) return '';
  const lines = lineCount(text) - lineCount(shown);
  return lines > 0 ? `… ${count(lines, 'more line')}` : '… more';
}

function Request(props: Props): JSX.Element {
  const {text, isWhole} = useText(props.turn, props.open);
  const shown = props.open ? text : head(text, kFolded.request);
  return (
    <>
      <p class="request">{plain(shown)}</p>
      <More {...props} hidden={restOf(text, shown, props.turn, isWhole)}/>
    </>
  );
}

function Thinking(props: Props): JSX.Element {
  const {text, isWhole} = useText(props.turn, props.open);
  const shown = props.open ? text : head(text, kFolded.thinking, 420);
  return (
    <>
      {text.trim() === '' ? <p class="thought muted">thinking that the provider keeps encrypted</p>
        : <p class="thought">{plain(shown)}</p>}
      <More {...props} hidden={restOf(text, shown, props.turn, isWhole)}/>
    </>
  );
}

function Folded(props: Props & {label: string; lines: number}): JSX.Element {
  const {text, isWhole} = useText(props.turn, props.open);
  const shown = props.open ? text : head(text, props.lines);
  return (
    <>
      <p class="label">{oneLine(props.label)}</p>
      {shown ? <p class="plain">{plain(shown)}</p> : null}
      <More {...props} hidden={restOf(text, shown, props.turn, isWhole)}/>
    </>
  );
}

function Answer(props: Props): JSX.Element {
  const {turn} = props;
  const {text, isWhole} = useText(turn, props.open);
  const shown = props.open ? text : head(text, kFolded.prose, 2400);
  return (
    <>
      {shown ? <Prose text={shown}/> : null}
      {text ? <More {...props} hidden={restOf(text, shown, turn, isWhole)}/> : null}
      {turn.calls.map((call) => <CallLine call={call} {...props}/>)}
    </>
  );
}

function Outcome({call}: {call: TurnCall}): JSX.Element {
  const words = call.outcome === 'ok' ? '' : call.outcome + (call.exit_code ? ` (exit ${call.exit_code})` : '');
  return (
    <>
      {words ? <span class={`outcome ${call.outcome}`}>{words}</span> : null}
      {call.duration_ms !== null ? <span class="took">{duration(call.duration_ms)}</span> : null}
    </>
  );
}

function CallLine({call, open, session}: Props & {call: TurnCall}): JSX.Element {
  const target = oneLine(call.target);
  const agent = useContext(Agents).get(promptKey(call.arguments));
  return (
    <div class="call">
      <p class="line">
        <span class="tool">{oneLine(call.tool)}</span>
        {isFile(target) ? <a class="target" href={link('file', call.target)}>{target}</a> : <span class="target">{target}</span>}
        <Outcome call={call}/>
        {call.child_run ? <a href={link('session', call.child_run)}>sub-agent</a> : null}
      </p>
      {agent ? <SubAgent branch={agent}/> : null}
      {open && session ? <Arguments text={call.arguments}/> : null}
    </div>
  );
}

// The lines of sub-agents, by the beginning of what they were asked for.
export const Agents = createContext<ReadonlyMap<string, string>>(new Map());

export const askedKey = (text: string): string => text.replace(/\s+/g, ' ').trim().slice(0, 160);

function promptKey(text: string): string {
  if (!text.includes('"prompt"')) return '-';
  const found = /"prompt"\s*:\s*("(?:[^"\\]|\\.)*)/.exec(text);
  try {
    return found ? askedKey(JSON.parse(found[1]! + '"') as string) || '-' : '-';
  } catch {
    return '-';
  }
}

// What a sub-agent did, as a fold under the call that began it.
function SubAgent({branch}: {branch: string}): JSX.Element {
  const [open, setOpen] = useState(false);
  const [turns, setTurns] = useState<Turn[]>([]);
  const [unfolded, setUnfolded] = useState<ReadonlySet<number>>(new Set());
  useEffect(() => {
    if (!open || turns.length) return;
    const cancel = new AbortController();
    ask<{turns: Turn[]}>('turns', {revision: branch, from: 0, limit: 200, chars: 2400}, cancel.signal)
      .then((answer) => setTurns(answer.turns), () => undefined);
    return () => cancel.abort();
  }, [open, branch]);
  return (
    <details class="agent" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>sub-agent <a href={link('session', branch)}>{oneLine(branch)}</a></summary>
      {open ? turns.map((turn, i) => (
        <TurnItem key={turn.position} turn={turn} before={turns[i - 1]} session={branch} open={unfolded.has(turn.position)} active={false} marked={false}
          choose={() => undefined} toggle={(position) => setUnfolded((before) => {
            const next = new Set(before);
            if (!next.delete(position)) next.add(position);
            return next;
          })}/>)) : null}
      {open && turns.length === 200 ? <a href={link('session', branch, {at: 200})}>… the rest</a> : null}
    </details>
  );
}

function Arguments({text}: {text: string}): JSX.Element {
  let members: [string, string][] = [];
  try {
    const read = JSON.parse(text) as Record<string, unknown>;
    if (read && typeof read === 'object') {
      members = Object.entries(read).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]);
    }
  } catch {
    // Shown as it is.
  }
  if (!members.length) return <pre class="code" tabIndex={0} aria-label="arguments">{plain(text)}</pre>;
  return <dl class="arguments">{members.map(([name, value]) => <div><dt>{oneLine(name)}</dt><dd>{plain(value)}</dd></div>)}</dl>;
}

function ToolResult(props: Props): JSX.Element {
  const {turn, before, open, toggle} = props;
  const call = turn.calls[0];
  const {text, isWhole} = useText(turn, open);
  const edits = (call?.edits ?? []).filter((edit) => edit.diff !== '');
  // Right after its call nothing is repeated.
  const isNext = before?.kind === 'assistant' && before.calls.length === 1 && before.calls[0]!.id === call?.id;
  const clean = text.replace(/^\s*\n/, '');
  const shown = open ? clean : head(clean, kFolded.output, 1000);
  const showsText = open || !edits.length;
  return (
    <>
      {call && !isNext ? (
        <p class="line again">
          <span class="tool">{oneLine(call.tool)}</span>
          <span class="target">{oneLine(call.target)}</span>
          <Outcome call={call}/>
        </p>) : null}
      {edits.map((edit) => (
        <div class="edit">
          <p class="path"><a href={link('file', edit.path)}>{oneLine(edit.path)}</a>
            {edit.lines_added !== null ? <b class="added">+{edit.lines_added}</b> : null}
            {edit.lines_removed !== null ? <b class="removed">−{edit.lines_removed}</b> : null}</p>
          <Diff text={edit.diff} most={open ? undefined : kFolded.diff}/>
          {!open && lineCount(edit.diff) > kFolded.diff
            ? <More {...props} hidden={`… ${count(lineCount(edit.diff) - kFolded.diff, 'more line')}`}/> : null}
        </div>))}
      {showsText && shown.trim() ? <pre class="output" tabIndex={0} aria-label="output"><Terminal text={shown}/></pre> : null}
      {showsText && !withoutColours(clean).trim() ? <p class="output none">no output</p> : null}
      {edits.length && !open ? null
        : <More turn={turn} open={open} toggle={toggle} hidden={restOf(clean, shown, turn, isWhole)}/>}
    </>
  );
}

function Attached({turn}: {turn: Turn}): JSX.Element | null {
  const shown = turn.attach.filter((each) => each.media_type.startsWith('image/'));
  if (!shown.length) return null;
  return <div class="pictures">{shown.map((each) => <Picture {...each}/>)}</div>;
}

export function Picture({hash, media_type}: {hash: string; media_type: string}): JSX.Element {
  const [url, setUrl] = useState('');
  const [error, setError] = useState('');
  const type = media_type.toLowerCase();
  const isSafe = kPictures.has(type);
  useEffect(() => {
    if (!isSafe) return;
    let made = '';
    let dropped = false;
    ask<{base64: string}>('content', {hash}).then(({base64}) => {
      if (dropped) return;
      made = URL.createObjectURL(new Blob([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], {type}));
      setUrl(made);
    }, (why: unknown) => setError(String(why)));
    return () => {
      dropped = true;
      if (made) URL.revokeObjectURL(made);
    };
  }, [hash]);
  if (!isSafe) return <span class="file">{oneLine(media_type)} {short(hash)}, not shown</span>;
  if (error) return <span class="file">{oneLine(media_type)}: {error}</span>;
  return url ? <img src={url} alt={`picture ${short(hash)}`} onError={() => setError('cannot be shown')}/> : <span class="file">…</span>;
}

function Spent({turn}: {turn: Turn}): JSX.Element | null {
  const sent = (turn.input_tokens ?? 0) + (turn.cache_read_tokens ?? 0) + (turn.cache_write_tokens ?? 0);
  if (turn.output_tokens === null && turn.duration_ms === null && !turn.model) return null;
  return (
    <p class="spent">
      {turn.model ? <span>{oneLine(modelName(turn.model))}</span> : null}
      {turn.duration_ms ? <span>{duration(turn.duration_ms)}</span> : null}
      {sent ? <span title={`${grouped(turn.cache_read_tokens ?? 0)} from a cache, ${grouped(turn.cache_write_tokens ?? 0)} written to one`}>
        {shortNumber(sent)} in{turn.cache_read_tokens ? `, ${Math.round((turn.cache_read_tokens / sent) * 100)}% cached` : ''}</span> : null}
      {turn.output_tokens !== null ? <span>{shortNumber(turn.output_tokens)} out</span> : null}
      {turn.cost_usd !== null ? <span>{money(turn.cost_usd)}</span> : null}
      {turn.finish_reason && !/^(end_?turn|stop|tool[_-]?(use|calls?)|completed?|function_call)$/i.test(turn.finish_reason)
        ? <span class="odd">{oneLine(turn.finish_reason)}</span> : null}
    </p>
  );
}
