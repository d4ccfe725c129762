// Answers what the page asks from the data in a file of `spoor export --page`, without a server.
// src/cli/page/page_file.cc writes the data.

type Json = Record<string, unknown>;

interface Line {
  row: Json & {name: string; head: string; length: number; parts_at: number};
  turns: number[];  // Places in `pool`, as are all numbers below.
  pieces: (Json & {to: number})[];
  requests: (Json & {position: number | null})[];
  coverage: Json | null;
}

// A list that keeps `from` entries of the one before at its beginning, and `end` at its end.
type Change = [from: number, end: number, added: number[]];

export interface Data {
  session: (Json & {number: number}) | null;
  lines: Line[];
  pool: unknown[];
  commits: Record<string, number>;
  prompts: {rest: Json & {commit: string}; messages: Change; left_out: Change}[];
  sent: Record<string, Json>;
  contents: Record<string, string>;
  compared: {before: string; after: string; calls: (Json & {change: string})[]}[];
}

interface Turn extends Json {
  position: number;
  commit: string;
  kind: string;
  time: string | null;
  model: string;
  text: string;
  is_injected: boolean;
  ends_answer: boolean;
  input_tokens: number | null;
  cache_read_tokens: number | null;
  cache_write_tokens: number | null;
  output_tokens: number | null;
  duration_ms: number | null;
  cost_usd: number | null;
  calls: {id: string; tool: string; target: string; arguments: string; outcome: string; exit_code: number | null; duration_ms: number | null;
    position: number | null; edits: {path: string; diff: string; lines_added: number | null; lines_removed: number | null}[]}[];
}

interface Message extends Json {
  hash: string | null;
  tokens: number;
}

interface Place {
  line: Line;
  position: number;
}

export class NotSaved extends Error {
  constructor(readonly code: string, message: string, readonly hint: string) {
    super(message);
  }
}

const kCheckpoint = 100;

export class Saved {
  private readonly places = new Map<string, Place>();
  private readonly prompts = new Map<string, number>();
  private readonly checkpoints: [number[], number[]][] = [];

  constructor(private readonly data: Data) {
    for (const line of data.lines) {
      line.turns.forEach((_, position) => {
        const {commit} = this.turn(line, position);
        if (!this.places.has(commit)) this.places.set(commit, {line, position});
      });
    }
    data.prompts.forEach(({rest}, i) => this.prompts.set(rest.commit, i));
  }

  // Where the page begins: the session, or the commit that was exported.
  get start(): string {
    return this.data.session ? String(this.data.session.number) : this.data.lines[0]?.row.name ?? '';
  }

  answer(op: string, members: Json): unknown {
    const text = (name: string): string => String(members[name] ?? '');
    switch (op) {
      case 'sessions': return {sessions: this.data.session ? [this.data.session] : []};
      case 'cost': return {costs: []};
      case 'oplog': return {operations: []};
      case 'lines': return {lines: this.lines(members['revision'] as string[])};
      case 'turns': return this.turns(text('revision'), Number(members['from'] ?? 0), Number(members['limit'] ?? 50));
      case 'timeline': {
        const {line, position} = this.find(text('revision'));
        return {pieces: line.pieces.filter((each) => each.to <= position || position === line.turns.length - 1)};
      }
      case 'requests': {
        const {line, position} = this.find(text('revision'));
        return {requests: line.requests.filter((each) => (each.position ?? 0) <= position)};
      }
      case 'log': return {commits: this.log(members)};
      case 'show': return this.record(this.commit(text('rev')));
      case 'compile': return this.compile(text('rev'), members);
      case 'prompt': return this.data.sent[this.commit(text('revision'))] ?? this.refuse('no request is recorded here');
      case 'diff': return this.diff(text('from'), text('to'));
      case 'compare': return this.compare(text('before'), text('after'), members['all'] === true);
      case 'answers': return {answers: this.answers(members)};
      case 'calls': return {calls: this.calls(members)};
      case 'file': return {edits: this.edits(text('path'))};
      case 'search': return {turns: this.search(text('text'), text('rev'), Number(members['limit'] ?? 300))};
      case 'is_ancestor': {
        const [ancestor, of] = [this.find(text('ancestor')), this.find(text('of'))];
        const there = of.line.turns[ancestor.position];
        return {is_ancestor: ancestor.position <= of.position && there !== undefined && this.turn(of.line, ancestor.position).commit === this.commit(text('ancestor'))};
      }
      case 'content': {
        const base64 = this.data.contents[text('hash')];
        return base64 === undefined ? this.refuse('this file is not in the page') : {base64};
      }
      case 'blame': return this.refuse('the lines of a file are not in a saved page', 'spoor blame --recorded ' + text('revision'));
      default: throw new NotSaved('denied', 'a saved page only reads', 'spoor open --write');
    }
  }

  private refuse(message: string, hint = 'spoor open shows it'): never {
    throw new NotSaved('not_found', message, hint);
  }

  private turn(line: Line, position: number): Turn {
    return this.data.pool[line.turns[position]!] as Turn;
  }

  // A revision: the session's number, a branch, or a commit, perhaps with `~N`.
  private find(revision: string): Place {
    const [, name = '', back = ''] = /^(.*?)(?:~(\d+))?$/s.exec(revision) ?? [];
    const main = this.data.lines[0];
    const line = name === String(this.data.session?.number) || name === '' ? main : this.data.lines.find((each) => each.row.name === name);
    let place = line ? {line, position: line.turns.length - 1} : this.places.get(name);
    if (!place && /^[0-9a-f]{4,}$/.test(name)) {
      for (const [commit, there] of this.places) {
        if (commit.startsWith(name)) place = there;
      }
    }
    if (!place || place.position - Number(back) < 0) this.refuse(`'${revision}' is not in this page`);
    return {line: place.line, position: place.position - Number(back)};
  }

  private commit(revision: string): string {
    const {line, position} = this.find(revision);
    return this.turn(line, position).commit;
  }

  private record(commit: string): unknown {
    return this.data.pool[this.data.commits[commit]!];
  }

  private turns(revision: string, from: number, limit: number): Json {
    const {line, position} = this.find(revision);
    const turns: Turn[] = [];
    for (let at = from; at < Math.min(from + limit, position + 1); ++at) turns.push(this.turn(line, at));
    return {turns};
  }

  private lines(revisions: string[]): Json[] {
    if (revisions.length < 2) return this.data.lines.map((each) => each.row);
    const [a, b] = [this.find(revisions[0]!), this.find(revisions[1]!)];
    let same = 0;
    while (same <= Math.min(a.position, b.position) && this.turn(a.line, same).commit === this.turn(b.line, same).commit) ++same;
    const row = ({line, position}: Place): Json => ({...line.row, head: this.turn(line, position).commit, length: position + 1,
      own: position + 1 - same, parts_at: same});
    if (same === Math.min(a.position, b.position) + 1) return [row(a.position > b.position ? a : b)];
    return [{...row(a), parts_at: 0}, row(b)];
  }

  private log({rev, limit, types, not, all_commits}: Json): unknown[] {
    const {line, position} = this.find(String(rev));
    const until = Array.isArray(not) && not.length ? this.find(String(not[0])).position : -1;
    const kinds = types as string[] | undefined;
    const found: unknown[] = [];
    for (let at = position; at > until && found.length < Number(limit ?? 50); --at) {
      const turn = this.turn(line, at);
      const record = this.record(turn.commit) as {type: string};
      if (kinds ? kinds.includes(record.type) : all_commits === true || record.type !== 'annotate') found.push(record);
    }
    return found;
  }

  // ---- Prompts: each is the one before with changes, so that the file grows with the session ----

  private lists(at: number): [number[], number[]] {
    let from = Math.floor(at / kCheckpoint);
    while (from > 0 && !this.checkpoints[from]) --from;
    let [messages, leftOut] = this.checkpoints[from] ?? [[], []];
    const apply = (list: number[], [begin, end, added]: Change): number[] => [...list.slice(0, begin), ...added, ...list.slice(list.length - end)];
    for (let i = this.checkpoints[from] ? from * kCheckpoint + 1 : 0; i <= at; ++i) {
      const prompt = this.data.prompts[i]!;
      messages = apply(messages, prompt.messages);
      leftOut = apply(leftOut, prompt.left_out);
      if (i % kCheckpoint === 0) this.checkpoints[i / kCheckpoint] = [messages, leftOut];
    }
    return [messages, leftOut];
  }

  private promptAt(commit: string): {rest: Json; messages: Message[]; leftOut: unknown[]} {
    const at = this.prompts.get(commit);
    if (at === undefined) this.refuse('the prompt at this turn is not in the page: the session is too long');
    const [messages, leftOut] = this.lists(at);
    return {rest: this.data.prompts[at]!.rest, messages: messages.map((i) => this.data.pool[i] as Message), leftOut: leftOut.map((i) => this.data.pool[i])};
  }

  private compile(revision: string, {last, coverage}: Json): Json {
    const {line, position} = this.find(revision);
    const {rest, messages, leftOut} = this.promptAt(this.turn(line, position).commit);
    const shown = last === undefined ? messages : messages.slice(Math.max(0, messages.length - Number(last)));
    const known = coverage === true && position === line.turns.length - 1 ? {coverage: line.coverage} : {};
    const counts: Record<string, number> = {};
    for (const {why} of leftOut as {why: string}[]) counts[why] = (counts[why] ?? 0) + 1;
    return {...rest, ...known, left_out: leftOut, ...(last === undefined ? {} : {left_out_counts: counts}), messages: shown};
  }

  private diff(from: string, to: string): Json {
    const before = from ? this.promptAt(this.commit(from)) : {rest: {}, messages: [], leftOut: []};
    const after = this.promptAt(this.commit(to));
    const name = (message: Message): string => message.hash ?? JSON.stringify(message);
    const old = new Map(before.messages.map((each) => [name(each), each]));
    const now = new Map(after.messages.map((each) => [name(each), each]));
    const said = ({role, text, tool_calls: calls, is_error: isError}: Message): string => JSON.stringify([role, text, calls, isError]);
    const messages: Json[] = [];
    const counts = {added: 0, removed: 0, changed: 0};
    const add = (change: 'added' | 'removed' | 'changed', was: Message | null, is: Message | null): void => {
      ++counts[change];
      messages.push({change, token_delta: (is?.tokens ?? 0) - (was?.tokens ?? 0), before: was, after: is});
    };
    // In the order of both prompts: what went is where it was.
    let at = 0;
    for (const each of after.messages) {
      const was = old.get(name(each));
      while (was && at < before.messages.length && before.messages[at] !== was) {
        const gone = before.messages[at++]!;
        if (!now.has(name(gone))) add('removed', gone, null);
      }
      if (was) ++at;
      if (!was) add('added', null, each);
      else if (was !== each && said(was) !== said(each)) add('changed', was, each);
    }
    for (const gone of before.messages.slice(at)) if (!now.has(name(gone))) add('removed', gone, null);
    const configs = [before, after].map(({rest}) => ((rest as Json)['config'] ?? {}) as Json);
    const config = Object.fromEntries([...new Set(configs.flatMap(Object.keys))].map((key) => [key, configs.map((each) => each[key] ?? null)] as const)
      .filter(([, [was, is]]) => JSON.stringify(was) !== JSON.stringify(is)));
    const tokens = (list: Message[]): number => list.reduce((sum, each) => sum + each.tokens, 0);
    return {from, to, ...counts, unchanged: after.messages.length - counts.added - counts.changed, messages, config,
      token_delta: tokens(after.messages) - tokens(before.messages), tokens_estimated: true};
  }

  private compare(before: string, after: string, all: boolean): Json {
    const [a, b] = [this.commit(before), this.commit(after)];
    const head = (name: string): string => this.commit(name);
    const found = this.data.compared.find((each) => head(each.before) === a && head(each.after) === b);
    if (!found) this.refuse('a saved page compares the calls of whole branches only', `spoor compare ${before} ${after}`);
    return {calls: found.calls.filter((each) => all || each.change !== 'same')};
  }

  // The answers of a line, those with the most of something first, as `spoor answers`.
  private answers({revision, by, limit}: Json): Json[] {
    const {line, position} = this.find(String(revision));
    const found: Json[] = [];
    let calls = 0;
    let text = '';
    for (let at = 0; at <= position; ++at) {
      const turn = this.turn(line, at);
      if (turn.kind === 'assistant') {
        calls += turn.calls.length;
        text = text || turn.text;
      }
      if (!turn.ends_answer) continue;
      const {input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, duration_ms, cost_usd} = turn;
      const sent = [input_tokens, cache_read_tokens, cache_write_tokens].filter((each) => each !== null);
      found.push({position: at, commit: turn.commit, time: turn.time, model: turn.model, text: text.slice(0, 200), calls, duration_ms, input_tokens,
        cache_read_tokens, cache_write_tokens, output_tokens, prompt_tokens: sent.length ? sent.reduce((sum, each) => sum + each, 0) : null, cost_usd});
      calls = 0;
      text = '';
    }
    const key = {cost: 'cost_usd', output: 'output_tokens', prompt: 'prompt_tokens', duration: 'duration_ms'}[String(by)] ?? 'position';
    const value = (row: Json): number => Number(row[key] ?? -1);
    return found.sort((a, b) => value(b) - value(a)).slice(0, Number(limit ?? 20));
  }

  // The calls of the session, newest first, as `spoor calls --brief`.
  private calls({tool, match, failed, limit}: Json): Json[] {
    const tools = ((tool ?? []) as string[]).map((each) => each.toLowerCase());
    const wanted = match ? new RegExp(String(match).replace(/^\(\?i\)/, ''), 'i') : null;
    const found: (Json & {time: string | null})[] = [];
    const seen = new Set<string>();
    for (const {turns} of this.data.lines) {
      for (const place of turns) {
        const turn = this.data.pool[place] as Turn;
        if (turn.kind !== 'assistant' || seen.has(turn.commit)) continue;
        seen.add(turn.commit);
        for (const call of turn.calls) {
          const result = call.position === null ? undefined : this.data.pool[turns[call.position]!] as Turn | undefined;
          if (failed === true && call.outcome === 'ok') continue;
          if (tools.length && !tools.includes(call.tool.toLowerCase())) continue;
          if (wanted && !wanted.test(call.target) && !wanted.test(call.arguments)) continue;
          // An answer in several records is named by the first.
          const first = result?.calls[0]?.position ?? null;
          const asked = first === null ? turn : this.data.pool[turns[first]!] as Turn;
          found.push({number: this.data.session?.number ?? 0, tool: call.tool, target: call.target, outcome: call.outcome, exit_code: call.exit_code,
            duration_ms: call.duration_ms, arguments: '', time: turn.time, answer: asked.commit, result: result?.commit ?? null});
        }
      }
    }
    const at = ({time}: {time: string | null}): number => (time === null ? 0 : Date.parse(time));
    return found.sort((a, b) => at(a) - at(b)).reverse().slice(0, Number(limit ?? found.length));
  }

  // The changes of a file, each with the thinking or the text before its call.
  private edits(path: string): Json[] {
    const found: Json[] = [];
    const seen = new Set<string>();
    for (const {row, turns} of this.data.lines) {
      let request = '';
      let thought = '';
      let said = '';
      const asked = new Map<string, {answer: string; time: string | null; why: string}>();
      for (const place of turns) {
        const turn = this.data.pool[place] as Turn;
        if (turn.kind === 'user' && !turn.is_injected) request = turn.text;
        if (turn.kind === 'reasoning') thought = turn.text;
        if (turn.kind === 'assistant' && turn.text) said = turn.text;
        if (turn.kind === 'user' || turn.kind === 'tool') thought = said = '';
        for (const call of turn.calls) {
          if (turn.kind === 'assistant') asked.set(call.id, {answer: turn.commit, time: turn.time, why: thought || said || request});
          for (const edit of call.edits) {
            if ((edit.path !== path && !edit.path.endsWith('/' + path)) || seen.has(turn.commit + edit.path)) continue;
            seen.add(turn.commit + edit.path);
            const by = asked.get(call.id);
            found.push({...edit, number: this.data.session?.number ?? 0, session: row.name, time: by?.time ?? turn.time, tool: call.tool,
              why: by?.why ?? '', request, answer: by?.answer ?? turn.commit, result: turn.commit});
          }
        }
      }
    }
    return found.reverse();
  }

  private search(what: string, revision: string, limit: number): Json[] {
    const wanted = what.toLowerCase();
    const found: Json[] = [];
    const seen = new Set<string>();
    for (const {line, position} of revision ? [this.find(revision)] : this.data.lines.map((line) => ({line, position: line.turns.length - 1}))) {
      for (let at = 0; at <= position && found.length < limit; ++at) {
        const turn = this.turn(line, at);
        if (seen.has(turn.commit)) continue;
        seen.add(turn.commit);
        const text = [turn.text, ...turn.calls.map((call) => `${call.tool} ${call.arguments}`)].find((each) => each.toLowerCase().includes(wanted));
        if (text === undefined) continue;
        const from = Math.max(0, text.toLowerCase().indexOf(wanted) - 80);
        found.push({hash: turn.commit, type: turn.kind, depth: at, time: turn.time, model: turn.model || null, message: text.slice(from, from + 300), refs: []});
      }
    }
    return found;
  }
}

// The data of this page; null if a server answers. It is compressed, in an element that no browser runs.
export async function readSaved(): Promise<Saved | null> {
  const text = document.getElementById('saved')?.textContent;
  if (!text) return null;
  const bytes = Uint8Array.from(atob(text.trim()), (c) => c.charCodeAt(0));
  const json = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text();
  return new Saved(JSON.parse(json) as Data);
}
