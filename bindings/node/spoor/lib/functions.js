// The program's functions, as the library asks for them: each takes a text and bytes, and returns the
// number and perhaps the bytes that <spoor/c.h> wants of it. None throws or rejects.
import process from 'node:process';
import { inspect } from 'node:util';
import { decoded, encoded } from './text.js';

const told = (error) => error instanceof Error ? `${error.name}: ${error.message}` : inspect(error);

const warn = (text, error) => process.emitWarning(`${text}: ${told(error)}`, 'SpoorWarning');

/**
 * Returns the functions of a store. They answer at once: a promise might need the threads that wait
 * for it.
 */
export function storeAnswers({ clock, scrub }) {
  return {
    ...clock && {
      now() {
        try {
          const time = clock().getTime();
          if (Number.isNaN(time)) throw new TypeError('it is not a time');
          return [time * 1000];
        } catch (error) {
          warn('the clock of a store failed', error);
          return [0];
        }
      },
    },
    ...scrub && {
      scrub(slot, text) {
        try {
          const kept = scrub(slot, decoded(text));
          if (typeof kept !== 'string') throw new TypeError('the scrubber did not return a string');
          return [0, encoded(kept)];
        } catch (error) {
          warn('a text could not be scrubbed', error);
          return [1];
        }
      },
    },
  };
}

const words = (_, value) => typeof value === 'bigint' ? String(value) : value;

const bodyOf = async (answer) =>
  Buffer.from(answer instanceof Response ? await answer.arrayBuffer() : answer.body);

/** Returns the functions of a run. `raise` gets the errors that must leave the run. */
export function runAnswers({ tools, send, approve, onEvent, raise }) {
  // Calls a function of the program whose failure ends the run with the number `otherwise`.
  const guarded = (otherwise, call) => async (name, bytes) => {
    try {
      return await call(name, bytes);
    } catch (error) {
      raise(error);
      return [otherwise, Buffer.from(told(error))];
    }
  };
  return {
    async callTool(id, given) {
      try {
        const result = await tools.get(id)(JSON.parse(given.toString()));
        const text = typeof result === 'string' ? result : JSON.stringify(result, words) ?? 'null';
        return [0, Buffer.from(text)];
      } catch (error) {
        return [1, Buffer.from(told(error))];
      }
    },
    ...send && {
      send: guarded(0, async (url, body) => {
        const answer = await send(url, body);
        if (!Number.isInteger(answer.status)) throw new TypeError("'send' did not return a status");
        return [answer.status, await bodyOf(answer)];
      }),
    },
    ...approve && {
      approve: guarded(-1, async (tool, given) => {
        const approval = await approve(tool, JSON.parse(given.toString() || '{}'));
        return approval ? [approval.allows ? 1 : 0, Buffer.from(approval.reason ?? '')] : [-1];
      }),
    },
    ...onEvent && {
      event: guarded(1, async (event, text) => {
        await onEvent(event, text.toString());
        return [0];
      }),
    },
  };
}
