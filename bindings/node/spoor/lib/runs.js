// Agents that work towards a goal: see Store.run() in index.d.ts.
import { SpoorError } from './errors.js';
import { runAnswers } from './functions.js';

const snake = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const camel = (name) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());

// Returns an object with other names for its members; the values stay.
const renamed = (object, name) =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [name(key), value]));

// Returns a tool as the library is told of it, and its function, which gets the model's arguments.
function toolOf(tool) {
  const { name, description, readOnly, needsApproval } = tool;
  if (typeof tool.run !== 'function') throw new SpoorError('invalid', `the tool '${name}' has no function 'run'`);
  const about = { id: name, description, read_only: readOnly, needs_approval: needsApproval };
  const { parameters } = tool;
  if (typeof parameters?.toJSONSchema !== 'function') {
    return { about: { ...about, parameters }, call: (given) => tool.run(given) };
  }
  return {
    about: { ...about, parameters: parameters.toJSONSchema({ io: 'input' }) },
    call: async (given) => tool.run(await (parameters.parseAsync ? parameters.parseAsync(given)
                                                                 : parameters.parse(given))),
  };
}

// JSON has no NaN and no Infinity: they would read as no limit.
function check(options) {
  for (const [name, value] of Object.entries(options)) {
    if (typeof value === 'number' && !Number.isFinite(value)) {
      throw new SpoorError('invalid', `the option '${name}' is ${value}`);
    }
  }
}

/** Runs or resumes an agent by a store's driver. */
export async function run(driver, { tools = [], send, approve, onEvent, signal, ...options }) {
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value != null));
  check(given);
  const made = tools.map(toolOf);
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  let raised;
  const raise = (error) => {
    raised ??= { error };
    stop();
  };
  const answers = runAnswers({
    tools: new Map(made.map(({ about, call }) => [about.id, call])), send, approve, onEvent, raise,
  });
  const request = { ...renamed(given, snake), tools: made.map(({ about }) => about) };
  if (signal?.aborted) stop();
  signal?.addEventListener('abort', stop);
  try {
    const { steps, ...result } = await driver.run(request, answers, stopping.signal);
    if (!raised) return { ...renamed(result, camel), steps: steps.map((step) => renamed(step, camel)) };
  } catch (error) {
    if (!raised) throw error;
  } finally {
    signal?.removeEventListener('abort', stop);
  }
  throw raised.error;
}
