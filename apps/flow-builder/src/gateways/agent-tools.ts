// Offers tools to the model of an agent run, and calls them at the customer's endpoints through
// @parley/outbound, which decides what may be reached.
import type { AgentSpec } from '@parley/flow-engine';
import type { Call, Method, Outcome } from '@parley/outbound';
import { TimeoutError, within } from '@parley/server/runtime';
import { z } from 'zod';
import { asObject, isStorable, parseJson, storableText, type JsonObject } from './outside-json.ts';
import { toAnswerSchema } from './extractor.ts';
import { argumentsProblem } from './tool-arguments.ts';

type Talk = NonNullable<AgentSpec['talk']>;

/** `request` of @parley/outbound. */
export type Dispatch = (call: Call) => Promise<Outcome>;

/** One tool must not use up the budget of a turn. */
export const TOOL_TIMEOUT_MS = 10_000;
/** Characters of a result for the model and the variables. Longer results are cut. */
export const TOOL_RESULT_CHARS_MAX = 16_384;
/** The API's limit for names of functions. */
const WIRE_NAME_CHARS_MAX = 64;

/** The built-in tool with which the model ends the loop. It hides an author's tool of that name. */
export const GOAL_REACHED = 'goal_reached';

/**
 * The built-in tool with which an agent that talks replies, where it also extracts values: words
 * and values are one call.
 */
export const REPLY = 'reply';

/** Only where values are extracted: `values` in the schema that the engine checks. */
function describeValues(extraction: JsonObject | undefined) {
  if (extraction === undefined) return {};
  const description = 'What the person has stated so far; null for what they have not stated';
  return { values: { ...toAnswerSchema(extraction).schema, description } };
}

const describeReply = (extraction: JsonObject) => ({
  type: 'function',
  function: {
    name: REPLY,
    description: 'Says something to the person, and waits for what they say.',
    parameters: {
      type: 'object',
      properties: {
        answer: { type: 'string', description: 'What you say next' },
        ...describeValues(extraction),
      },
      required: ['answer'],
    },
  },
});

const answerSchema = { type: 'string', description: 'What to tell the person; may be empty' };

/** An agent that talks names the branch that it leaves by in the same call. */
function describeGoalReached({ branches, extraction }: Pick<Talk, 'branches' | 'extraction'>) {
  const branch = {
    type: 'integer',
    enum: branches.map(({ index }) => index),
    description: 'The branch whose condition holds',
  };
  const confidence = { type: 'number', description: 'How certain the branch is, from 0 to 1' };
  return {
    type: 'function',
    function: {
      name: GOAL_REACHED,
      description: 'Ends your work. Call it once the goal is reached.',
      parameters: {
        type: 'object',
        properties: {
          answer: answerSchema,
          ...(branches.length === 0 ? {} : { branch, confidence }),
          ...describeValues(extraction),
        },
      },
    },
  };
}

const endpointShape = z.object({
  url: z.string(),
  method: z
    .string()
    .toUpperCase()
    .pipe(z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD']))
    .nullish(),
  headers: z.record(z.string(), z.string()).nullish(),
});

interface Endpoint {
  readonly url: string;
  readonly method: Method;
  /** Literal values, or `secret://<name>` (docs/platform.md#secrets). Never logged. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface Tool {
  readonly name: string;
  /** JSON Schema of the arguments. */
  readonly parameters: unknown;
  /** null: `tool_dispatch` has none, or a malformed one. */
  readonly endpoint: Endpoint | null;
}

export interface ToolSet {
  /** For the API, with the built-in tool. */
  readonly wire: readonly unknown[];
  /** By the name that the model uses. */
  readonly tools: ReadonlyMap<string, Tool>;
}

export function readToolSet({
  tools,
  toolDispatch,
  talk,
}: Pick<AgentSpec, 'tools' | 'toolDispatch' | 'talk'>): ToolSet {
  const byWireName = new Map<string, Tool>();
  const wire: unknown[] = [describeGoalReached(talk ?? { branches: [] })];
  if (talk?.extraction !== undefined) wire.push(describeReply(talk.extraction));
  for (const { name, description, parameters } of tools ?? []) {
    // The API refuses every call of a run that has a tool with an invalid name.
    const wireName = name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, WIRE_NAME_CHARS_MAX);
    const isBuiltIn = wireName === GOAL_REACHED || (wireName === REPLY && talk?.extraction !== undefined);
    if (isBuiltIn || byWireName.has(wireName)) continue;
    byWireName.set(wireName, { name, parameters, endpoint: findEndpoint(name, toolDispatch) });
    wire.push({
      type: 'function',
      function: {
        name: wireName,
        description: description ?? name,
        parameters: asObject(parameters) ?? anyArguments,
      },
    });
  }
  return { wire, tools: byWireName };
}

const anyArguments = { type: 'object', properties: {}, additionalProperties: true };

function findEndpoint(name: string, toolDispatch: unknown): Endpoint | null {
  const endpoints = asObject(toolDispatch);
  if (endpoints === null || !Object.hasOwn(endpoints, name)) return null;
  const { data } = endpointShape.safeParse(endpoints[name]);
  return data === undefined
    ? null
    : { url: data.url, method: data.method ?? 'POST', headers: data.headers ?? {} };
}

/** The result of a call, for the model, for `tool_calls`, and (`outcome`, `status`) for the log. */
export interface ToolResult {
  readonly ok: boolean;
  readonly args: unknown;
  readonly result: unknown;
  readonly outcome: string;
  readonly status?: number | undefined;
}

export interface ToolCallBounds {
  readonly dispatch: Dispatch;
  /** Headers may name secrets of this organisation. */
  readonly organizationId: string;
  readonly sessionId: string | null;
  readonly timeoutMs: number;
}

/** Calls one tool within `timeoutMs`. Every problem becomes a result that the model can act on. */
export async function callTool(
  tool: Tool | undefined,
  argumentsText: string,
  { dispatch, organizationId, sessionId, timeoutMs }: ToolCallBounds,
): Promise<ToolResult> {
  // Models send an empty text for no arguments.
  const args = argumentsText.trim() === '' ? {} : parseJson(argumentsText);
  const shown = isStorable(args) && args !== undefined ? args : cut(storableText(argumentsText));
  const failed = (outcome: string, message: string): ToolResult => ({
    ok: false,
    args: shown,
    result: { error: outcome, message },
    outcome,
  });
  if (tool === undefined) return failed('unknown_tool', 'There is no tool of this name.');
  const problem = argumentsProblem(args, tool.parameters);
  if (problem !== null) return failed('invalid_arguments', problem);
  if (tool.endpoint === null) return failed('no_endpoint', 'This tool cannot be called here.');
  const call = toRequest(tool, tool.endpoint, args as JsonObject, sessionId, timeoutMs);
  if (call === null) return failed('invalid_endpoint', 'This tool cannot be called here.');
  try {
    return {
      args: shown,
      ...toToolResult(await within(dispatch({ ...call, secretsOf: organizationId }), timeoutMs)),
    };
  } catch (error) {
    if (error instanceof TimeoutError) return failed('timeout', 'The tool did not answer in time.');
    throw error;
  }
}

/** `{tool, args, session_id}` as JSON; methods without a body carry the arguments in the query. */
function toRequest(
  { name }: Tool,
  { url, method, headers }: Endpoint,
  args: JsonObject,
  sessionId: string | null,
  timeoutMs: number,
): Call | null {
  if (method === 'GET' || method === 'HEAD') {
    if (!URL.canParse(url)) return null;
    const address = new URL(url);
    for (const [member, value] of Object.entries(args)) {
      address.searchParams.append(member, typeof value === 'string' ? value : JSON.stringify(value));
    }
    return { url: address.href, method, headers, timeoutMs };
  }
  const typed = Object.keys(headers).some((header) => header.toLowerCase() === 'content-type');
  return {
    url,
    method,
    headers: typed ? headers : { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ tool: name, args, session_id: sessionId }),
    timeoutMs,
  };
}

function toToolResult(outcome: Outcome): Omit<ToolResult, 'args'> {
  if (outcome.ok) {
    return { ok: true, result: parseBody(outcome.body), outcome: 'ok', status: outcome.status };
  }
  const { errorClass, message, status, body } = outcome;
  // An endpoint explains a refusal in its body. The model needs that to do better.
  const refusal = body ? { status, body: parseBody(body) } : { ...(status === undefined ? {} : { status }) };
  return { ok: false, result: { error: errorClass, message, ...refusal }, outcome: errorClass, status };
}

/** Parses JSON, else returns the text. Cuts long texts. */
function parseBody(body: string): unknown {
  const text = storableText(body);
  if (text.length > TOOL_RESULT_CHARS_MAX) return cut(text);
  const value = parseJson(text);
  return value !== undefined && isStorable(value) ? value : text;
}

function cut(text: string): string {
  if (text.length <= TOOL_RESULT_CHARS_MAX) return text;
  return `${storableText(text.slice(0, TOOL_RESULT_CHARS_MAX))}… (cut: ${text.length} characters)`;
}
