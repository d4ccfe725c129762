// A middleware of the AI SDK that records calls of models: see ai.d.ts.
import { now, warn } from './lib/recording.js';

export function recordingMiddleware(store) {
  return {
    specificationVersion: 'v4',

    async wrapGenerate({ doGenerate, params, model }) {
      const call = new Call(store, model, params);
      let result;
      try {
        result = await doGenerate();
      } catch (error) {
        await call.failed(error);
        throw error;
      }
      await call.record('complete', result, result.response?.body, result.content);
      return result;
    },

    async wrapStream({ params, model }) {
      const call = new Call(store, model, params);
      let result;
      try {
        result = await model.doStream({ ...params, includeRawChunks: true });  // The response as it came.
      } catch (error) {
        await call.failed(error);
        throw error;
      }
      return { ...result, stream: tapped(call, result) };
    },
  };
}

// Returns the stream of a result, which is recorded when it was read, or was left.
function tapped(call, result) {
  const { abortSignal, includeRawChunks } = call.params;
  const raw = [];
  const content = new Content();
  let isOver = false;
  const over = async (ending) => {
    if (isOver) return;
    isOver = true;
    abortSignal?.removeEventListener('abort', left);
    await call.record(ending, result, raw.length > 0 ? raw : undefined, content.parts);
  };
  const left = () => over('client_disconnect');  // The SDK may not touch the stream any more.
  abortSignal?.addEventListener('abort', left);
  const reader = result.stream.getReader();
  return new ReadableStream({
    async pull(controller) {
      try {
        for (;;) {
          const { done, value: part } = await reader.read();
          if (done) break;
          if (part.type === 'raw') raw.push(part.rawValue);
          else content.take(part);
          if (part.type === 'raw' && !includeRawChunks) continue;
          controller.enqueue(part);
          return;
        }
      } catch (error) {
        await over(abortSignal?.aborted ? 'client_disconnect' : 'upstream_cut');
        controller.error(error);
        return;
      }
      await over('complete');
      controller.close();
    },
    async cancel(reason) {
      try {
        await reader.cancel(reason);
      } finally {
        await left();
      }
    },
  }, { highWaterMark: 0 });
}

// The parts of an answer, put together from those of its stream.
class Content {
  parts = [];
  open = new Map();

  take(part) {
    const type = /^(text|reasoning)-(start|delta)$/.exec(part.type);
    if (part.type === 'tool-call') this.parts.push(part);
    if (!type) return;
    if (type[2] === 'start') {
      const begun = { type: type[1], text: '' };
      this.open.set(part.id, begun);
      this.parts.push(begun);
    } else {
      const begun = this.open.get(part.id);
      if (begun) begun.text += part.delta;
    }
  }
}

// The APIs that a store reads, by the last word of a provider's name in the AI SDK: their paths, and whether a
// request and the events of its answer, if there are any, are of this API. Cohere's, too, is named `chat`.
const APIS = {
  responses: { path: () => '/v1/responses', fits: (sent) => sent.input !== undefined },
  chat: {
    path: () => '/v1/chat/completions',
    fits: (sent, events) => Array.isArray(sent.messages) &&
      (events.length === 0 || events.some((event) => event?.choices || event?.error)),
  },
  messages: { path: () => '/v1/messages', fits: (sent) => Array.isArray(sent.messages) },
  'generative-ai': {
    path: ({ modelId }, streams) =>
      `/v1beta/models/${modelId}:${streams ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    fits: (sent) => Array.isArray(sent.contents),
  },
};

// One call, until it is recorded.
class Call {
  constructor(store, model, params) {
    Object.assign(this, { store, model, params, begun: now(), started: performance.now() });
  }

  // Records a call that was refused or left, if a request was made. Never throws.
  async failed(error) {
    const isLeft = this.params.abortSignal?.aborted ?? false;
    const { url, requestBodyValues, responseBody, statusCode } = error ?? {};  // Of the SDK's APICallError.
    if (!isLeft && requestBodyValues === undefined) return;
    const request = requestBodyValues && { body: requestBodyValues, url };
    const ending = isLeft ? 'client_disconnect' : statusCode ? 'complete' : 'upstream_no_response';
    await this.record(ending, { request, status: statusCode ?? 0 }, responseBody);
  }

  // Records the call. Never throws. `body`: of the response, a list of its events if it was a stream.
  // `content`: the parts of the answer, if there is one.
  async record(ending, { request, status = 200 }, body, content) {
    try {
      const [upstream, target] = placeOf(this.model, request, body);
      const hasAnswer = body !== undefined || content === undefined;
      const isExact = target !== undefined && hasAnswer;
      const sent = isExact ? textOf(request.body) : JSON.stringify(chatRequest(this.model, this.params));
      const got = isExact ? responseOf(body) : content ? JSON.stringify(chatResponse(this.model, content)) : '';
      const type = isExact && Array.isArray(body) ? 'text/event-stream' : 'application/json';
      const about = {
        upstream, method: 'POST', target: isExact ? target : '/v1/chat/completions', status,
        request: Buffer.byteLength(sent), response: Buffer.byteLength(got),
        request_headers: [['content-type', 'application/json']], response_headers: [['content-type', type]],
        begun: this.begun, first_byte: 0, end: Math.round((performance.now() - this.started) * 1000),
        ending, copy: true,  // Not seen on the wire.
      };
      await this.store.recordExchange(about, Buffer.from(sent), Buffer.from(got));
    } catch (error) {
      warn(error);
    }
  }
}

// Returns the address and the path of a call; no path if its API is not one that a store reads.
function placeOf(model, request, body) {
  const url = request?.url && new URL(request.url);
  const [vendor, ...words] = model.provider.split('.');
  const isGemini = vendor === 'google' && words.at(-1) === 'chat';  // Google Vertex.
  const api = APIS[isGemini ? 'generative-ai' : words.at(-1)];
  const events = Array.isArray(body) ? body : body === undefined ? [] : [valueOf(body)];
  const isKnown = api && request?.body !== undefined && api.fits(valueOf(request.body) ?? {}, events);
  const path = isKnown ? api.path(model, Array.isArray(body)) : undefined;
  if (!url) return [`https://${encodeURIComponent(vendor)}.invalid`, path];
  return [url.origin, path && url.pathname + url.search];
}

// Returns a body, which may be a text, as a value; undefined if it is not JSON.
function valueOf(body) {
  if (typeof body !== 'string') return body;
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

const textOf = (body) => typeof body === 'string' ? body : JSON.stringify(body);

function responseOf(body) {
  if (body === undefined) return '';
  if (!Array.isArray(body)) return textOf(body);
  return body.map((event) => {
    const name = event?.type ? `event: ${event.type}\n` : '';
    return `${name}data: ${textOf(event)}\n\n`;
  }).join('');
}

// ---- A call of any other provider, as one of Chat Completions. ----

const joined = (parts, type) => parts.filter((part) => part.type === type).map((part) => part.text).join('');

const callsOf = (parts) => parts.filter((part) => part.type === 'tool-call').map((part) => ({
  id: part.toolCallId, type: 'function', function: { name: part.toolName, arguments: textOf(part.input) },
}));

function answerOf(parts) {
  const calls = callsOf(parts);
  const reasoning = joined(parts, 'reasoning');
  return {
    role: 'assistant', content: joined(parts, 'text'), ...(reasoning && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

function messagesOf({ role, content }) {
  if (role === 'system') return [{ role, content }];
  if (role === 'user') return [{ role, content: joined(content, 'text') }];
  if (role === 'assistant') return [answerOf(content)];
  return content.filter((part) => part.type === 'tool-result').map((part) => ({
    role, tool_call_id: part.toolCallId, content: textOf(part.output.value ?? part.output.reason ?? ''),
  }));
}

const chatRequest = ({ modelId }, { prompt }) => ({ model: modelId, messages: prompt.flatMap(messagesOf) });

const chatResponse = ({ modelId }, content) => ({
  object: 'chat.completion', model: modelId,
  choices: [{ index: 0, message: answerOf(content), finish_reason: callsOf(content).length > 0 ? 'tool_calls' : 'stop' }],
});
