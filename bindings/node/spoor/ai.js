// A middleware of the AI SDK that records calls of models: see ai.d.ts.
import { now, warn } from './lib/recording.js';

export function recordingMiddleware(store) {
  return {
    specificationVersion: 'v4',

    async wrapGenerate({ doGenerate, params, model }) {
      const call = new Call(store, model, params);
      const result = await doGenerate();
      await call.record(result, result.response?.body, result.content);
      return result;
    },

    async wrapStream({ doStream, params, model }) {
      const call = new Call(store, model, params);
      const wantsRaw = params.includeRawChunks;
      params.includeRawChunks = true;  // The response as it came: a wrapper sees its own copy of params.
      const result = await doStream();
      const raw = [];
      const content = new Content();
      const taken = new TransformStream({
        transform(part, controller) {
          if (part.type === 'raw') raw.push(part.rawValue);
          else content.take(part);
          if (part.type !== 'raw' || wantsRaw) controller.enqueue(part);
        },
        flush: () => call.record(result, raw.length > 0 ? raw : undefined, content.parts),
      });
      return { ...result, stream: result.stream.pipeThrough(taken) };
    },
  };
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
      this.open.get(part.id).text += part.delta;
    }
  }
}

// The paths of the APIs that a store reads, by the last word of a provider's name in the AI SDK.
const PATHS = {
  responses: () => '/v1/responses',
  chat: () => '/v1/chat/completions',
  messages: () => '/v1/messages',
  'generative-ai': ({ modelId }, streams) =>
    `/v1beta/models/${modelId}:${streams ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
};

// One call, until it is recorded.
class Call {
  constructor(store, model, params) {
    Object.assign(this, { store, model, params, begun: now(), started: performance.now() });
  }

  // Records the call. Never throws. `body`: of the response, a list of its events if it was a stream.
  async record({ request }, body, content) {
    try {
      const [upstream, target] = placeOf(this.model, request, Array.isArray(body));
      const isExact = request?.body !== undefined && body !== undefined && target !== undefined;
      const sent = isExact ? textOf(request.body) : JSON.stringify(chatRequest(this.model, this.params));
      const got = isExact ? responseOf(body) : JSON.stringify(chatResponse(this.model, content));
      const type = isExact && Array.isArray(body) ? 'text/event-stream' : 'application/json';
      const about = {
        upstream, method: 'POST', target: isExact ? target : '/v1/chat/completions', status: 200,
        request: Buffer.byteLength(sent), response: Buffer.byteLength(got),
        request_headers: [['content-type', 'application/json']], response_headers: [['content-type', type]],
        begun: this.begun, first_byte: 0, end: Math.round((performance.now() - this.started) * 1000),
        ending: 'complete', copy: true,  // Not seen on the wire.
      };
      await this.store.recordExchange(about, Buffer.from(sent), Buffer.from(got));
    } catch (error) {
      warn(error);
    }
  }
}

// Returns the address and the path of a call; no path if its API is not one that a store reads.
function placeOf(model, request, streams) {
  const url = request?.url && new URL(request.url);
  const [vendor, ...words] = model.provider.split('.');
  const path = PATHS[words.at(-1)]?.(model, streams);
  if (!url) return [`https://${vendor}.invalid`, path];
  return [url.origin, path && url.pathname + url.search];
}

const textOf = (body) => typeof body === 'string' ? body : JSON.stringify(body);

function responseOf(body) {
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
