// Prints tables: CPU of calls of a C++ program, of the Python package, and of the TypeScript package with the
// addon and with `spoor batch`; then the ratio of each to C++. `./dev bench --calls` builds what it needs and
// runs it. Environment: SPOOR_CALLS, SPOOR_LIBRARY, SPOOR_ADDON, SPOOR_PROGRAM.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';

const TURNS = 6000;
const TEXT = 'x'.repeat(600);
const CALLS = { append: 4000, tip: 8000, compile: 20 };
const TICK = 10_000;  // Microseconds of a clock tick, in /proc.

// Returns the CPU that this process and its children have used, in microseconds.
function used() {
  const { user, system } = process.cpuUsage();
  let sum = user + system;
  for (const task of readdirSync('/proc/self/task')) {
    for (const child of readFileSync(`/proc/self/task/${task}/children`, 'utf8').split(' ').filter(Boolean)) {
      const fields = readFileSync(`/proc/${child}/stat`, 'utf8').split(') ')[1].split(' ');
      sum += (Number(fields[11]) + Number(fields[12])) * TICK;
    }
  }
  return sum;
}

async function measure(folder) {
  const { open } = await import('../bindings/node/spoor/index.js');
  const store = await open(path.join(folder, 'm.spoor'), { create: true });
  const branch = store.branch();
  const work = {
    append: () => branch.user(TEXT), tip: () => store.tip(), compile: () => store.compile('long', { to: 'openai' }),
  };
  // Each in a transaction of its own, as in the other programs: a large one leaves work for those after it.
  for (let i = 0; i < TURNS; ++i) await store.branch('long')[i % 2 ? 'assistant' : 'user'](`${i} ${TEXT}`);
  const figures = {};
  for (const [name, run] of Object.entries(work)) {
    for (let i = 0; i < CALLS[name] / 5; ++i) await run();
    const before = used();
    const began = performance.now();
    for (let i = 0; i < CALLS[name]; ++i) await run();
    figures[name] = [(used() - before) / CALLS[name], (performance.now() - began) * 1000 / CALLS[name]];
  }
  await store.close();
  return figures;
}

const PYTHON = `
import json, sys, time, spoor
store = spoor.open(sys.argv[1] + "/p.spoor", create=True)
text, turns, calls = "x" * 600, int(sys.argv[2]), json.loads(sys.argv[3])
b = store.branch("long")
for i in range(turns):
    (b.assistant if i % 2 else b.user)(f"{i} {text}")
branch = store.branch("main")
work = {"append": lambda: branch.user(text), "tip": store.tip, "compile": lambda: store.compile("long", to="openai")}
figures = {}
for name, run in work.items():
    for _ in range(calls[name] // 5):
        run()
    cpu, wall = time.process_time(), time.perf_counter()
    for _ in range(calls[name]):
        run()
    figures[name] = [(time.process_time() - cpu) * 1e6 / calls[name], (time.perf_counter() - wall) * 1e6 / calls[name]]
store.close()
print(json.dumps(figures))`;

const folder = mkdtempSync('/dev/shm/spoor-');  // No disk: what is counted is CPU.
try {
  if (process.argv[2] === 'measure') {
    console.log(JSON.stringify(await measure(folder)));
  } else {
    const self = (addon) => JSON.parse(execFileSync(process.execPath, [import.meta.filename, 'measure'],
      { env: { ...process.env, SPOOR_ADDON: addon }, encoding: 'utf8' }));
    const packages = path.join(import.meta.dirname, '../bindings/python');
    const columns = {
      'C++': JSON.parse(execFileSync(process.env.SPOOR_CALLS,
        [folder, TURNS, ...Object.values(CALLS)].map(String), { encoding: 'utf8' })),
      Python: JSON.parse(execFileSync('python3', ['-B', '-c', PYTHON, folder, String(TURNS), JSON.stringify(CALLS)],
        { env: { ...process.env, PYTHONPATH: packages }, encoding: 'utf8' })),
      addon: self(process.env.SPOOR_ADDON),
      '`spoor batch`': self('off'),
    };
    const names = { append: 'append a turn of 600 bytes', tip: '`tip`', compile: `\`compile\`, ${TURNS.toLocaleString('en')} turns` };
    const print = (title, cell) => {
      console.log(`| ${title} | ${Object.keys(columns).join(' | ')} |`);
      console.log(`| --- |${' --- |'.repeat(Object.keys(columns).length)}`);
      for (const [name, shown] of Object.entries(names)) {
        console.log(`| ${shown} | ${Object.values(columns).map((column) => cell(name, column[name])).join(' | ')} |`);
      }
    };
    print('CPU (wall), µs', (_, [cpu, wall]) => `${Math.round(cpu).toLocaleString('en')} (${Math.round(wall).toLocaleString('en')})`);
    console.log('');
    print('CPU, C++ is 1', (name, [cpu]) => (cpu / columns['C++'][name][0]).toPrecision(3));
  }
} finally {
  rmSync(folder, { recursive: true });
}
