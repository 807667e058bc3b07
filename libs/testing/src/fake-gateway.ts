// A provider gateway for tests and the demo: OpenAI-shaped, local, with scripted answers.
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { eventually } from './eventually.ts';

/** The gateway's reaction to one chat completion. */
export type GatewayAnswer =
  /** A classification: an index of the question, or none. `confidence` defaults to 0.9. */
  | { choice: number | 'none'; confidence?: number; afterMs?: number }
  /** An extraction. */
  | { values: object }
  /** Tool calls of an agent. `args` given as text is sent unchanged, even if it is not JSON. */
  | { tools: { name: string; args?: unknown }[]; content?: string; afterMs?: number }
  /** The end of the agent's loop: a call of `goal_reached`. */
  | { goalReached: string }
  /** Any message content: prose, half a JSON document, a wrong document. */
  | { content: string | object[] | null; afterMs?: number; finishReason?: string }
  /** Several choices instead of one. */
  | { several: string[] }
  /** The model declines (`message.refusal`). */
  | { refusal: string }
  /** A status with an OpenAI-shaped error: 401, 429, 500 … */
  | number
  | { status: number; error: object }
  /** Any text with any status: a proxy's page, an error of another shape. */
  | { status: number; text: string }
  /** Any bytes as the body of a 200. */
  | { body: string }
  /**
   * `hang`: never answers. `stall`: headers, then half a body. `drip`: a right answer, a character
   * at a time, slower than anybody waits. `endless`: a body without an end.
   * `reset`: closes the connection. `huge`: 8 MiB of answer.
   */
  | 'hang'
  | 'stall'
  | 'drip'
  | 'endless'
  | 'reset'
  | 'huge';

export type ChatRequest = {
  authorization: string | undefined;
  model: string;
  messages: { role: string; content: string | null; tool_call_id?: string; tool_calls?: unknown }[];
  response_format?: { type: string; json_schema: { name: string; strict: boolean; schema: JsonSchema } };
  tools?: { type: string; function: { name: string; description: string; parameters: JsonSchema } }[];
  temperature?: number;
  receivedAtMs: number;
};

type JsonSchema = Record<string, unknown>;

export type FakeGateway = {
  /** `http://127.0.0.1:<port>/v1`, for GATEWAY_URL. */
  url: string;
  /** Every requested chat completion, oldest first. */
  chats: ChatRequest[];
  /** Answers of the next chats, one each, in this order; then `fallback` answers again. */
  script(...answers: GatewayAnswer[]): void;
  /** The answer of `GET /v1/models` from now on: a status, or none. */
  models: number | 'hang';
  /** Number of requests for the models. */
  modelRequests: number;
  /** Waits until at least `count` chats arrived, and returns them all. */
  chatted(count: number): Promise<ChatRequest[]>;
  close(): Promise<void>;
};

/** Larger than any answer that is read. */
const HUGE_BYTES = 8 * 1024 * 1024;
/** A completion of 300 characters takes half a minute. */
const DRIP_MS = 100;
/** A question with all its choices is far smaller. */
const BODY_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Starts a gateway on a free loopback port (or `port`). With `key`, requests without it get 401.
 * `fallback` answers unscripted chats: 500 by default, or a function of the question.
 */
export async function fakeGateway(
  options: {
    port?: number;
    key?: string;
    fallback?: GatewayAnswer | ((chat: ChatRequest) => GatewayAnswer);
  } = {},
): Promise<FakeGateway> {
  const { key, fallback = 500 } = options;
  const scripted: GatewayAnswer[] = [];

  const server = createServer((incoming, response) => {
    answer(incoming, response).catch(() => incoming.destroy()); // the sender went away
  });
  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { authorization } = incoming.headers;
    const refused = key !== undefined && authorization !== `Bearer ${key}`;
    if (incoming.method === 'GET' && incoming.url === '/v1/models') {
      gateway.modelRequests += 1;
      if (gateway.models === 'hang') return;
      const status = refused ? 401 : gateway.models;
      sendJson(response, status, status === 200 ? { object: 'list', data: [] } : errorBody(status));
      return;
    }
    if (incoming.method !== 'POST' || incoming.url !== '/v1/chat/completions') {
      sendJson(response, 404, errorBody(404));
      return;
    }
    const body = JSON.parse(await read(incoming)) as ChatRequest;
    const chat: ChatRequest = { ...body, authorization, receivedAtMs: Date.now() };
    // The answer is chosen before the chat becomes visible: a test that waits for it may already
    // script the next one.
    const next = refused
      ? 401
      : (scripted.shift() ?? (typeof fallback === 'function' ? fallback(chat) : fallback));
    gateway.chats.push(chat);
    give(next, chat, response);
  }
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;

  const gateway: FakeGateway = {
    url: `http://127.0.0.1:${port}/v1`,
    chats: [],
    script: (...answers) => void scripted.push(...answers),
    models: 200,
    modelRequests: 0,
    chatted: async (count) => {
      await eventually(() => gateway.chats.length >= count);
      return gateway.chats;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return gateway;
}

function give(answer: GatewayAnswer, chat: ChatRequest, response: ServerResponse): void {
  if (answer === 'hang') return;
  if (answer === 'reset') {
    response.socket?.resetAndDestroy();
    return;
  }
  if (answer === 'stall') {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{"choices":[{"index":0,');
    return;
  }
  if (answer === 'drip') {
    const dripping = Readable.from(drops(JSON.stringify(answered({ choice: 0 }, chat))));
    response.once('close', () => dripping.destroy());
    response.writeHead(200, { 'content-type': 'application/json' });
    dripping.pipe(response);
    return;
  }
  if (answer === 'endless') {
    const endless = Readable.from(xs());
    response.once('close', () => endless.destroy());
    response.writeHead(200, { 'content-type': 'application/json' });
    endless.pipe(response);
    return;
  }
  if (answer === 'huge') {
    sendJson(response, 200, completion(chat, { content: 'x'.repeat(HUGE_BYTES) }));
    return;
  }
  if (typeof answer === 'number') {
    sendJson(response, answer, errorBody(answer));
    return;
  }
  if ('status' in answer) {
    if ('error' in answer) sendJson(response, answer.status, { error: answer.error });
    else response.writeHead(answer.status).end(answer.text);
    return;
  }
  if ('body' in answer) {
    response.writeHead(200, { 'content-type': 'application/json' }).end(answer.body);
    return;
  }
  const body = answered(answer, chat);
  const timer = setTimeout(() => sendJson(response, 200, body), ('afterMs' in answer && answer.afterMs) || 0);
  response.once('close', () => clearTimeout(timer));
}

async function* drops(text: string): AsyncGenerator<string> {
  for (const character of text) {
    yield character;
    await new Promise((resolve) => setTimeout(resolve, DRIP_MS));
  }
}

function* xs(): Generator<string> {
  for (;;) yield 'x'.repeat(16_384); // ends with its reader
}

/** An answer in the wording of the API. */
function answered(
  answer: Exclude<GatewayAnswer, number | string | { status: number } | { body: string }>,
  chat: ChatRequest,
): object {
  if ('choice' in answer) {
    const { choice, confidence = 0.9 } = answer;
    return completion(chat, { content: JSON.stringify({ choice: String(choice), confidence }) });
  }
  if ('values' in answer) return completion(chat, { content: JSON.stringify(answer.values) });
  if ('goalReached' in answer) {
    return toolCalls(chat, [{ name: 'goal_reached', args: { answer: answer.goalReached } }]);
  }
  if ('tools' in answer) return toolCalls(chat, answer.tools, answer.content);
  if ('several' in answer) return completion(chat, ...answer.several.map((content) => ({ content })));
  if ('refusal' in answer) return completion(chat, { content: null, refusal: answer.refusal });
  return completion(chat, { content: answer.content, finish_reason: answer.finishReason });
}

type ReplyMessage = {
  content: string | object[] | null;
  refusal?: string;
  tool_calls?: unknown[];
  finish_reason?: string | undefined;
};

function completion(chat: ChatRequest, ...choices: ReplyMessage[]): object {
  return {
    id: 'chatcmpl-fake',
    object: 'chat.completion',
    created: Math.floor(chat.receivedAtMs / 1000),
    model: chat.model,
    choices: choices.map(({ finish_reason = 'stop', ...message }, index) => ({
      index,
      message: { role: 'assistant', ...message },
      finish_reason,
    })),
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  };
}

function toolCalls(chat: ChatRequest, tools: { name: string; args?: unknown }[], content?: string): object {
  const said = chat.messages.length; // makes the ids of one conversation different
  return completion(chat, {
    content: content ?? null,
    tool_calls: tools.map(({ name, args = {} }, index) => ({
      id: `call_${said}_${index}`,
      type: 'function',
      function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
    })),
    finish_reason: 'tool_calls',
  });
}

function errorBody(status: number): object {
  return { error: { message: `answered ${status} by script`, type: 'fake_error', code: null } };
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function read(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) throw new Error(`a body of more than ${BODY_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
