// The authored document, member by member, as zod checks it (parse.ts). It may hold unknown members
// everywhere: the document is stored and returned as authored. A null member counts as absent.
import * as z from 'zod';
import { limits } from './limits.ts';

const reservedNames: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Names with a meaning to JavaScript objects: never an id, never a step of a path. */
export const isReservedName = (name: string): boolean => reservedNames.has(name);

/** Why a text is not a valid id of a node or a flow; null when it is. */
export function idProblem(id: string): string | null {
  if (id === '') return 'Invalid id: it is empty';
  if (id.length > limits.idCharsMax)
    return `Invalid id: ${id.length} characters, at most ${limits.idCharsMax}`;
  const [wrong] = /[^A-Za-z0-9_.:-]/u.exec(id) ?? [];
  if (wrong !== undefined)
    return `Invalid id: ${wrong.trim() === '' ? 'a blank' : `"${wrong}"`} is none of A-Z a-z 0-9 _ . : -`;
  return isReservedName(id) ? `Invalid id: "${id}" means something to JavaScript objects` : null;
}

const nodeId = z.string().superRefine((id, context) => {
  const message = idProblem(id);
  if (message !== null) context.addIssue({ code: 'custom', message });
});
const text = z.string().nullish();
const flag = z.boolean().nullish();
const number = z.number().nullish();
const list = z.array(z.unknown()).nullish();

// Not z.record: it would copy every member, and an authored object is never touched.
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const object = z
  .custom<Readonly<Record<string, unknown>>>(isObject, 'Invalid input: expected object')
  .nullish();
const objectOrList = z
  .custom<object>(
    (value) => typeof value === 'object' && value !== null,
    'Invalid input: expected object or array',
  )
  .nullish();

const choiceValue = z.union([z.string(), z.number(), z.boolean()]);
const choice = z.union(
  [choiceValue, z.looseObject({ value: choiceValue, synonyms: z.array(z.string()).nullish() })],
  {
    error: 'Invalid choice: expected a string, or an object with value and synonyms',
  },
);

export const authoredNode = z.looseObject({
  id: nodeId,
  type: text,
  text,
  prompt: text,
  reprompt: text,
  variable: text,
  cast: text,
  choices: z.array(choice).nullish(),
  default_region: text,
  allow_empty: flag,
  max_attempts: number,
  tool: text,
  args: object,
  output_var: text,
  goal: text,
  tools: list,
  tool_dispatch: object,
  documents: list,
  mcp: objectOrList,
  add_global_prompt: flag,
  extraction: object,
  graph_constraints: object,
  max_iterations: number,
  turn_budget: number,
  context_vars: z.array(z.string()).nullish(),
  target: text,
  reason: text,
  message: text,
});

/** Members of a webhook node; other nodes may use the same names for themselves. */
export const authoredWebhook = z.looseObject({
  url: text,
  events: z.array(z.string()).nullish(),
  payload: z.unknown().optional(),
  headers: object,
});

export const authoredEdge = z.looseObject({
  source: z.string(),
  target: z.string(),
  variable: text,
  op: text,
  value: z.unknown().optional(),
  nl: text,
  condition: text,
  label: text,
  default: flag,
  case_sensitive: flag,
});

/** Null for a blank text; editors write unused members as "" or null. */
export function textOrNull(text: string | null | undefined): string | null {
  return text == null || text.trim() === '' ? null : text;
}

export type AuthoredNode = Readonly<z.infer<typeof authoredNode>>;
export type AuthoredWebhook = Readonly<z.infer<typeof authoredWebhook>>;
export type AuthoredEdge = Readonly<z.infer<typeof authoredEdge>>;

/** `flow_id` and `name` are unchecked and returned as authored. */
export interface AuthoredFlow {
  readonly flow_id?: unknown;
  readonly name?: unknown;
  readonly start?: string | null;
  readonly nodes: readonly AuthoredNode[];
  readonly edges?: readonly AuthoredEdge[] | null;
  readonly [member: string]: unknown;
}

/** Text members of a node that count against `textCharsMax`. */
export const nodeTexts = ['text', 'prompt', 'reprompt', 'message', 'reason', 'goal'] as const;
/** Text members of an edge that count against `textCharsMax`. */
export const edgeTexts = ['nl', 'condition', 'label', 'value'] as const;
