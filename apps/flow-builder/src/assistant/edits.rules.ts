// The edits that a model answers with, and how they change a draft. Edits name nodes by id, so no
// position of the draft can be wrong, and members that the model does not name stay as they are.
import { z } from 'zod';
import type { AuthoredFlow } from '@parley/flow-engine';

/** Characters of what the model says about its proposal. */
const SUMMARY_CHARS_MAX = 4_000;

const id = z.string().min(1);

export const edits = z.object({
  summary: z.string().transform((text) => text.slice(0, SUMMARY_CHARS_MAX)),
  nodes: z.array(z.looseObject({ id })).nullish(),
  remove_nodes: z.array(z.string()).nullish(),
  edges: z.array(z.object({ source: id, edges: z.array(z.looseObject({ target: id })) })).nullish(),
  flow: z.object({ start: z.string().nullish(), language: z.string().nullish() }).nullish(),
  cannot: z
    .string()
    .nullish()
    .transform((text) => text?.trim().slice(0, SUMMARY_CHARS_MAX) || null),
});

export type Edits = z.output<typeof edits>;

/** For providers with response formats. Not strict: nodes have members of many types. */
export const editsSchema = {
  name: 'flow_edits',
  strict: false,
  schema: {
    type: 'object',
    properties: {
      summary: { type: 'string', description: 'What you changed and why, in one to three sentences' },
      nodes: {
        type: 'array',
        description: 'New nodes whole; of known nodes the id and the changed members; null removes a member',
        items: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
      },
      remove_nodes: { type: 'array', items: { type: 'string' } },
      edges: {
        type: 'array',
        description: 'For each node whose outgoing edges change: all of them, in the order of trying',
        items: {
          type: 'object',
          properties: { source: { type: 'string' }, edges: { type: 'array', items: { type: 'object' } } },
          required: ['source', 'edges'],
        },
      },
      flow: { type: 'object', properties: { start: { type: 'string' }, language: { type: 'string' } } },
      cannot: {
        type: ['string', 'null'],
        description: 'Only when you propose nothing: what is missing or impossible',
      },
    },
    required: ['summary'],
  },
} as const;

type Members = Readonly<Record<string, unknown>>;

/** Nodes and edges keep their order; edges of removed nodes go with them. */
export function applyEdits(
  draft: AuthoredFlow,
  { nodes, remove_nodes, edges: outgoing, flow }: Edits,
): AuthoredFlow {
  const removed = new Set(remove_nodes ?? []);
  const changes = new Map((nodes ?? []).map((node) => [node.id, node]));
  const known = new Set(draft.nodes.map((node) => node.id));
  const changed = draft.nodes
    .filter((node) => !removed.has(node.id))
    .map((node) => merge(node, changes.get(node.id)));
  const added = [...changes.values()].filter((node) => !known.has(node.id)).map((node) => merge({}, node));
  const replaced = new Map((outgoing ?? []).map((one) => [one.source, one.edges]));
  const isLeft = (end: unknown) => typeof end !== 'string' || !removed.has(end);
  const edges = replaceEdges(draft.edges ?? [], replaced).filter(
    ({ source, target }) => isLeft(source) && isLeft(target),
  );
  const { start, ...others } = draft;
  const keepsStart = start != null && !removed.has(start) ? { start } : {};
  const whole: object = {
    ...others,
    ...keepsStart,
    ...dropNull(flow ?? {}),
    nodes: [...changed, ...added],
    edges,
  };
  // Validation says what is wrong with it.
  return whole as AuthoredFlow;
}

function merge(node: Members, change: Members | undefined): Members {
  return Object.fromEntries(
    Object.entries({ ...node, ...change }).filter(([name, value]) => value !== null || node[name] === null),
  );
}

const dropNull = (members: Members): Members =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value != null));

/** The edges of a source take the place of its first one. */
function replaceEdges(
  edges: readonly Members[],
  replaced: ReadonlyMap<string, readonly Members[]>,
): Members[] {
  const left = new Map(replaced);
  const put = (source: string): Members[] => {
    const own = left.get(source) ?? [];
    left.delete(source);
    return own.map((edge) => ({ ...edge, source }));
  };
  const kept = edges.flatMap((edge) => {
    const source = String(edge['source']);
    if (!replaced.has(source)) return [edge];
    return left.has(source) ? put(source) : [];
  });
  return [...kept, ...[...left.keys()].flatMap(put)];
}
