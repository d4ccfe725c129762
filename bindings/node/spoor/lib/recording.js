// Records the calls of the official clients: see record() in index.d.ts.
import process from 'node:process';

export function record(client, store) {
  const [holder, member] = placeOf(client);
  holder[member] = recorded(holder[member] ?? globalThis.fetch, store);
  return client;
}

// Returns the object and the member that hold a client's own fetch.
function placeOf(client) {
  if (typeof client?.fetch === 'function' && typeof client.baseURL === 'string') {
    return [client, 'fetch'];  // openai, @anthropic-ai/sdk
  }
  const options = client?.apiClient?.clientOptions;  // @google/genai
  if (options) return [options.httpOptions ??= {}, 'fetch'];
  throw new TypeError(`'${client?.constructor?.name ?? client}' is not a client of openai, ` +
    '@anthropic-ai/sdk or @google/genai');
}

/** Says that a call is not in the store; the call itself goes on. */
export function warn(error) {
  process.emitWarning(`a call was not recorded: ${error?.message ?? error}`, 'SpoorWarning');
}

/** Returns the time as an exchange has it. */
export const now = () => new Date().toISOString().replace('Z', '000Z');

/** Returns a fetch that does what `fetch` does, and records it. */
export function recorded(fetch, store) {
  return async (input, init) => {
    const exchange = await Exchange.begin(store, input, init).catch(warn);
    if (!exchange) return fetch(input, init);
    let response;
    try {
      response = await fetch(input, init);
    } catch (error) {
      await exchange.record(exchange.isLeft() ? 'client_disconnect' : 'upstream_no_response');
      throw error;
    }
    exchange.answered(response);
    if (!response.body) {
      await exchange.record('complete');
      return response;
    }
    return tapped(response, exchange);
  };
}

// Returns a response whose body is recorded when it was read, or was left.
function tapped(response, exchange) {
  const reader = response.body.getReader();
  const body = new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) {
          exchange.pieces.push(value);
          controller.enqueue(value);
          return;
        }
      } catch (error) {
        await exchange.record(exchange.isLeft() ? 'client_disconnect' : 'upstream_cut');
        controller.error(error);
        return;
      }
      await exchange.record('complete');
      controller.close();
    },
    async cancel(reason) {
      try {
        await reader.cancel(reason);  // Rejects if the program has aborted the request.
      } finally {
        await exchange.record('client_disconnect');
      }
    },
  }, { highWaterMark: 0 });  // Reads no further than the client does.
  const { status, statusText, headers, url } = response;
  return Object.defineProperty(new Response(body, { status, statusText, headers }), 'url', { value: url });
}

// What passes between a client and a provider, until it is recorded.
class Exchange {
  static async begin(store, input, init = {}) {
    const request = input instanceof Request ? input : null;
    const url = new URL(request?.url ?? input);
    const body = init.body ?? await request?.clone().arrayBuffer() ?? '';
    if (body instanceof ReadableStream) throw new TypeError('its request is a stream');
    const exchange = new Exchange();
    exchange.store = store;
    exchange.started = performance.now();
    exchange.signal = init.signal ?? request?.signal;
    exchange.request = typeof body === 'string' ? Buffer.from(body)
                                                : Buffer.from(await new Response(body).arrayBuffer());
    exchange.pieces = [];
    exchange.about = {
      upstream: url.origin, method: init.method ?? request?.method ?? 'GET',
      target: url.pathname + url.search, request: exchange.request.length, status: 0,
      request_headers: [...new Headers(init.headers ?? request?.headers)], response_headers: [],
      first_byte: 0, begun: now(),
    };
    return exchange;
  }

  // Whether the program itself gave up.
  isLeft() {
    return this.signal?.aborted ?? false;
  }

  answered(response) {
    // fetch() has decoded the body.
    const headers = [...response.headers].filter(([name]) => name !== 'content-encoding');
    Object.assign(this.about, {
      status: response.status, response_headers: headers, first_byte: this.elapsed(),
    });
  }

  // Records the exchange, unless it was. Never throws.
  async record(ending) {
    if (this.isRecorded) return;
    this.isRecorded = true;
    try {
      const response = Buffer.concat(this.pieces);
      const about = { ...this.about, response: response.length, end: this.elapsed(), ending };
      await this.store.recordExchange(about, this.request, response);
    } catch (error) {
      warn(error);
    }
  }

  elapsed() {
    return Math.round((performance.now() - this.started) * 1000);
  }
}
