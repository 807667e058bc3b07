// JSON -> FlowModel. Tells "not a definition" (400) and "too large" (422) apart; every other fault
// survives parsing and is reported by validation.
import { jsonPointer } from '@parley/envelopes';
import { resolveCast } from '@parley/answers';
import { listCommandEdges, isCommand, priorities } from './commands.ts';
import { readComparison, readGroup } from './conditions.ts';
import {
  authoredEdge,
  authoredNode,
  authoredWebhook,
  edgeTexts,
  textOrNull,
  nodeTexts,
  type AuthoredEdge,
  type AuthoredFlow,
  type AuthoredNode,
} from './definition.ts';
import { limits, type DefinitionLimit } from './limits.ts';
import type { EdgeKind, EdgeModel, FlowModel, NodeModel } from './model.ts';
import { resolveNodeType } from './node-types.ts';
import { runPieces, type Pieces } from './pieces.ts';
import { waitsFor } from './waits.ts';

/** One place where a document is not a definition; `path` is a JSON pointer (RFC 6901). */
export interface DefinitionProblem {
  readonly path: string;
  readonly message: string;
}

export interface LimitProblem extends DefinitionProblem {
  readonly limit: DefinitionLimit;
  readonly max: number;
  readonly actual: number;
}

export type ParsedFlow =
  | { readonly ok: true; readonly flow: FlowModel }
  | { readonly ok: false; readonly kind: 'not_a_definition'; readonly problems: readonly DefinitionProblem[] }
  | { readonly ok: false; readonly kind: 'limit_exceeded'; readonly problems: readonly LimitProblem[] };

/** The flow id and name of the request, which override those of the document. */
export interface FlowIdentity {
  readonly flowId?: string | null | undefined;
  readonly name?: string | null | undefined;
}

/**
 * Reads a definition (docs/flow-language.md#definition). Never throws, never copies or changes the
 * document. Reports every problem, up to `limits.problemsMax`, each with its JSON pointer.
 */
export function parseFlow(definition: unknown, identity: FlowIdentity = {}): ParsedFlow {
  const shape = shapeProblems(definition);
  if (shape.length > 0) return { ok: false, kind: 'not_a_definition', problems: shape };

  // Count before reading: the members of a million nodes are not worth reading.
  const flow = definition as AuthoredFlow;
  const tooMany = countProblems(flow);
  if (tooMany.length > 0) return { ok: false, kind: 'limit_exceeded', problems: tooMany };

  const wrong = memberProblems(flow);
  if (wrong.length > 0) return { ok: false, kind: 'not_a_definition', problems: wrong };

  const model = runPieces(buildingModel(flow, identity));
  const tooLarge = [...textProblems(flow), ...choiceProblems(model)].slice(0, limits.problemsMax);
  if (tooLarge.length > 0) return { ok: false, kind: 'limit_exceeded', problems: tooLarge };
  return { ok: true, flow: model };
}

/** Reads a stored definition without checking it again; the check takes most of the time. */
export function readParsedFlow(definition: AuthoredFlow): FlowModel {
  return runPieces(readParsedFlowInPieces(definition));
}

/** The same in pieces, one per node or edge. */
export function readParsedFlowInPieces(definition: AuthoredFlow): Pieces<FlowModel> {
  return buildingModel(definition, {});
}

function shapeProblems(definition: unknown): DefinitionProblem[] {
  if (typeof definition !== 'object' || definition === null || Array.isArray(definition))
    return [{ path: '', message: 'Invalid input: expected object' }];
  const { nodes, edges, start } = definition as Record<string, unknown>;
  const problems: DefinitionProblem[] = [];
  if (!Array.isArray(nodes)) problems.push({ path: '/nodes', message: 'Invalid input: expected array' });
  if (edges != null && !Array.isArray(edges))
    problems.push({ path: '/edges', message: 'Invalid input: expected array' });
  if (start != null && typeof start !== 'string')
    problems.push({ path: '/start', message: 'Invalid input: expected string' });
  return problems;
}

function countProblems(flow: AuthoredFlow): LimitProblem[] {
  return [
    ...exceeded('/nodes', 'nodesMax', flow.nodes.length, 'nodes'),
    ...exceeded('/edges', 'edgesMax', flow.edges?.length ?? 0, 'edges'),
  ];
}

function memberProblems(flow: AuthoredFlow): DefinitionProblem[] {
  const problems: DefinitionProblem[] = [];
  const check = (path: string, schema: MemberSchema, member: unknown) => {
    if (problems.length >= limits.problemsMax) return;
    const parsed = schema.safeParse(member);
    if (parsed.success) return;
    for (const issue of parsed.error.issues)
      problems.push({ path: path + jsonPointer(issue.path), message: issue.message });
  };
  flow.nodes.forEach((node, index) => {
    check(`/nodes/${index}`, authoredNode, node);
    if (resolveNodeType(node?.type) === 'webhook') check(`/nodes/${index}`, authoredWebhook, node);
  });
  flow.edges?.forEach((edge, index) => check(`/edges/${index}`, authoredEdge, edge));
  return problems.slice(0, limits.problemsMax);
}

interface MemberSchema {
  safeParse(
    member: unknown,
  ):
    | { success: true }
    | { success: false; error: { issues: readonly { path: readonly PropertyKey[]; message: string }[] } };
}

function* textProblems(flow: AuthoredFlow): Generator<LimitProblem> {
  for (const [index, node] of flow.nodes.entries())
    for (const member of nodeTexts) yield* textExceeded(`/nodes/${index}/${member}`, node[member]);
  for (const [index, edge] of (flow.edges ?? []).entries()) {
    for (const member of edgeTexts) yield* textExceeded(`/edges/${index}/${member}`, edge[member]);
    for (const { at, value } of readGroup(edge)?.members ?? [])
      yield* textExceeded(`/edges/${index}/${at.join('/')}/value`, value);
  }
}

function textExceeded(path: string, text: unknown): LimitProblem[] {
  return typeof text === 'string' ? exceeded(path, 'textCharsMax', text.length, 'characters') : [];
}

function* choiceProblems(flow: FlowModel): Generator<LimitProblem> {
  // The question of every collect node includes those of all commands.
  const isAsked = ({ kind }: EdgeModel) => kind === 'nl';
  const commands = priorities.flatMap((priority) => listCommandEdges(flow, priority)).filter(isAsked);
  yield* tooManyChoices(commands, 0, 'natural-language edges out of commands');
  const shared = Math.min(commands.length, limits.classifierChoicesMax);
  for (const [source, edges] of flow.outgoing) {
    const node = flow.nodesById.get(source);
    if (node !== undefined && isCommand(node)) continue;
    const what = `natural-language edges out of node ${source}`;
    yield* tooManyChoices(edges.filter(isAsked), node?.type === 'collect' ? shared : 0, what);
  }
}

function tooManyChoices(asked: readonly EdgeModel[], shared: number, what: string): LimitProblem[] {
  const firstTooMany = asked[limits.classifierChoicesMax - shared];
  if (firstTooMany === undefined) return [];
  const counted = shared === 0 ? what : `${what} and of commands`;
  return exceeded(`/edges/${firstTooMany.index}`, 'classifierChoicesMax', asked.length + shared, counted);
}

function exceeded(path: string, limit: DefinitionLimit, actual: number, what: string): LimitProblem[] {
  const max = limits[limit];
  return actual > max
    ? [{ path, limit, max, actual, message: `Too many ${what}: ${actual}, at most ${max}` }]
    : [];
}

function* buildingModel(definition: AuthoredFlow, identity: FlowIdentity): Pieces<FlowModel> {
  const nodes: NodeModel[] = [];
  const nodesById = new Map<string, NodeModel>();
  const global = definition.nodes.find(({ type }) => resolveNodeType(type) === 'global');
  for (const [index, raw] of definition.nodes.entries()) {
    const node = buildNode(raw, index, global?.['skip_if_set']);
    nodes.push(node);
    if (!nodesById.has(node.id)) nodesById.set(node.id, node);
    yield;
  }
  const edges: EdgeModel[] = [];
  const outgoing = new Map<string, EdgeModel[]>();
  for (const [index, raw] of (definition.edges ?? []).entries()) {
    const edge = buildEdge(raw, index);
    edges.push(edge);
    const siblings = outgoing.get(edge.source);
    if (siblings === undefined) outgoing.set(edge.source, [edge]);
    else siblings.push(edge);
    yield;
  }
  const startId = textOrNull(definition.start) ?? nodesById.get('start')?.id ?? nodes[0]?.id ?? null;
  return {
    definition,
    flowId: identity.flowId ?? stringOrNull(definition.flow_id),
    name: identity.name ?? stringOrNull(definition.name),
    language: textOrNull(stringOrNull(definition['language'])),
    startId,
    start: startId === null ? null : (nodesById.get(startId) ?? null),
    nodes,
    edges,
    nodesById,
    outgoing,
  };
}

function buildNode(raw: AuthoredNode, index: number, skipsByDefault: unknown): NodeModel {
  const type = resolveNodeType(raw.type);
  const outputVar = textOrNull(raw.output_var) ?? (type === 'autonomous' ? 'agent_result' : null);
  const cast = resolveCast(raw.cast);
  const skips =
    type === 'collect' &&
    textOrNull(raw.variable) !== null &&
    (raw['skip_if_set'] ?? skipsByDefault) === true;
  return { index, id: raw.id, type, cast, outputVar, waitsFor: waitsFor(type, raw), skips, raw };
}

function buildEdge(raw: AuthoredEdge, index: number): EdgeModel {
  const condition = readComparison(raw, []);
  const group = readGroup(raw);
  const nl = textOrNull(raw.nl) ?? textOrNull(raw.condition);
  const saysDefault = raw.default === true;
  return {
    index,
    source: raw.source,
    target: raw.target,
    kind: edgeKind(saysDefault, condition !== null || group !== null, nl),
    condition,
    group,
    nl,
    label: textOrNull(raw.label),
    caseSensitive: raw.case_sensitive === true,
    saysDefault,
    raw,
  };
}

function edgeKind(saysDefault: boolean, compares: boolean, nl: string | null): EdgeKind {
  if (saysDefault) return 'default';
  if (compares) return 'deterministic';
  return nl === null ? 'default' : 'nl';
}

const stringOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);
