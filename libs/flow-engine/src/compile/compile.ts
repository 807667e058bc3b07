// FlowModel -> CompiledFlow, once per flow version. Total: a flow with errors compiles too, and its
// faults never match, capture or get reached.
import { compileAcceptance } from '../read/acceptance.ts';
import { verbatimCasts, readAnswerRules, type FailureStatus } from '../define/answer-rules.ts';
import { isResuming } from '../define/commands.ts';
import { compileAgentTools } from '../walk/agent.ts';
import { compileAgentValues } from '../walk/agent-values.ts';
import { compileAssignments } from '../walk/assign.ts';
import { compileCast } from '@parley/answers';
import { toTypedDefault } from '../read/default-answer.ts';
import type {
  AutonomousNode,
  CollectNode,
  CompiledFlow,
  CompiledNode,
  CompiledWebhook,
  Routes,
  ToolNode,
  WebhookMember,
} from './compiled.ts';
import type { AuthoredWebhook } from '../define/definition.ts';
import { compileExtraction } from '../walk/extraction.ts';
import { compileReader } from '../walk/second-reader.ts';
import { readVariants } from '../define/variants.ts';
import { compileTemplate, compileValue, jsonCounter, renderValue, type Template } from './interpolate.ts';
import { orElse, compileSpoken, findResultMembers, type IsResultMember, type SpokenText } from './spoken.ts';
import { compileCommands, compileRoutes } from './link-routes.ts';
import { readClassifierOrder } from '../define/examples.ts';
import { limits } from '../define/limits.ts';
import type { FlowModel, NodeModel } from '../define/model.ts';
import { readRequired } from '../define/output-schema.ts';
import { runPieces, type Pieces } from '../define/pieces.ts';
import { readCastRules, compileOthers, questionsByVariable } from './other-questions.ts';
import { compileHeldAnswer } from '../read/held-answer.ts';
import { compileWordings } from './wordings.ts';
import { learnChoices } from './choice-examples.ts';
import { learnBranches } from './learn-branches.ts';
import { compileLookup, compileWriter } from '../read/paths.ts';
import { patternCache, type PatternSource } from '../read/patterns.ts';
import { jsonBytes, tryWithinBudget } from '../read/turn-budget.ts';

/**
 * Compiles a parsed flow. Never throws and never copies the document: the walk reads the rest from
 * it later.
 * @param patterns a cache of compiled patterns that flows can share; by default the flow's own.
 */
export function compileFlow(flow: FlowModel, patterns?: PatternSource): CompiledFlow {
  return runPieces(compileFlowInPieces(flow, patterns));
}

/** The same in pieces, one per node. */
export function* compileFlowInPieces(
  flow: FlowModel,
  patterns: PatternSource = patternCache(),
): Pieces<CompiledFlow> {
  const nodes = new Map<string, CompiledNode>();
  const isResultMember = findResultMembers(flow);
  for (const node of flow.nodesById.values()) {
    const compiled = compileNode(node, { language: flow.language, patterns, isResultMember });
    if (compiled !== null) nodes.set(node.id, compiled);
    yield;
  }
  // Edges last: they refer to nodes, in circles too.
  for (const node of nodes.values()) {
    (node as { routes: Routes }).routes = compileRoutes(flow.outgoing.get(node.id) ?? [], nodes, patterns);
    yield;
  }
  for (const model of flow.nodesById.values()) {
    const taught = yield* learnChoices(model);
    if (taught !== null) (nodes.get(model.id) as { taught: CollectNode['taught'] }).taught = taught;
  }
  const byVariable = questionsByVariable(flow);
  for (const model of flow.nodesById.values()) {
    const node = model.raw['also'] == null ? undefined : nodes.get(model.id);
    if (node?.type !== 'collect') continue;
    (node as { others: CollectNode['others'] }).others = compileOthers(
      model,
      byVariable,
      nodes,
      flow.language,
    );
    yield;
  }
  const global = flow.nodes.find((node) => node.type === 'global' && text(node.raw.prompt) !== null);
  const commands = compileCommands(flow, nodes, patterns);
  const classifiers = yield* learnBranches(nodes, commands?.choices ?? []);
  return {
    model: flow,
    start: nodes.get(flow.startId ?? '') ?? null,
    nodes,
    commands,
    classifiers,
    classifierOrder: readClassifierOrder(flow.nodes.find(({ type }) => type === 'global')?.raw),
    persona: global === undefined ? null : text(global.raw.prompt),
    talks: flow.nodes.some(({ waitsFor }) => waitsFor === 'talk'),
    webhooks: flow.nodes
      .filter((node) => node.type === 'webhook')
      .slice(0, limits.webhooksMax)
      .map((node) => compileWebhook(node, flow.language)),
  };
}

/** What the compilation of a node reads of the whole flow. */
interface FlowContext {
  readonly language: string | null;
  readonly patterns: PatternSource;
  readonly isResultMember: IsResultMember;
}

/** A node without its routes; null for a type that the walk never visits. */
function compileNode(node: NodeModel, context: FlowContext): CompiledNode | null {
  const { isResultMember } = context;
  const { raw, id } = node;
  const core = { id, routes: noRoutes, assign: compileAssignments(raw) };
  switch (node.type) {
    case 'message':
      return { ...core, type: 'message', text: wordings(node, raw.text, isResultMember) };
    case 'collect':
      return compileCollect(node, context);
    case 'branch':
      return { ...core, type: 'branch' };
    case 'tool':
      return {
        ...core,
        type: 'tool',
        tool: raw.tool ?? null,
        args: compileArgs(raw.args),
        outputVar: node.outputVar,
        waits: node.waitsFor !== null,
        write: node.outputVar === null ? null : compileWriter(node.outputVar),
        required: node.waitsFor === null ? [] : readRequired(raw),
      };
    case 'autonomous':
      return compileAutonomous(node, context);
    case 'handoff':
      return {
        ...core,
        type: 'handoff',
        message: compileSpoken(raw.message, isResultMember) ?? compileSpoken(raw.text, isResultMember),
        target: raw.target ?? null,
        reason: text(raw.reason),
        waits: node.waitsFor !== null,
      };
    case 'end':
      return {
        ...core,
        type: 'end',
        message: compileSpoken(raw.message, isResultMember) ?? compileSpoken(raw.text, isResultMember),
        resumes: isResuming(node),
      };
    default:
      return null;
  }
}

const noRoutes: Routes = { deterministic: [], choices: [], fallback: null };

/** Null for a blank text. */
function text(authored: string | null | undefined): Template | null {
  return authored == null || authored.trim() === '' ? null : compileTemplate(authored);
}

function wordings(
  { id, raw }: NodeModel,
  authored: string | null | undefined,
  isResultMember: IsResultMember,
): SpokenText | null {
  const [first, ...others] = [authored, ...readVariants(raw).texts].flatMap(
    (one) => compileSpoken(one, isResultMember) ?? [],
  );
  return first === undefined ? null : compileWordings(id, [first, ...others]);
}

function compileCollect(node: NodeModel, { language, patterns, isResultMember }: FlowContext): CollectNode {
  const { id, raw, cast } = node;
  const { rules } = readAnswerRules(raw, cast);
  const { strict, reprompts } = rules;
  const castRules = readCastRules(node, language);
  const answerCast = compileCast(cast, castRules);
  const accepts = compileAcceptance(cast, rules, patterns);
  const write = raw.variable == null ? null : compileWriter(raw.variable);
  const ownPrompt = wordings(node, raw.prompt, isResultMember);
  const ownReprompt = compileSpoken(raw.reprompt, isResultMember);
  const prompt = orElse(ownPrompt, ownReprompt);
  const reprompt = orElse(ownReprompt, ownPrompt) ?? prompt;
  const after = (status: FailureStatus) =>
    orElse(compileSpoken(reprompts[status], isResultMember), reprompt) ?? reprompt;
  const attempts = raw.max_attempts;
  return {
    id,
    routes: noRoutes,
    assign: compileAssignments(raw),
    type: 'collect',
    prompt,
    reprompts: {
      no_match: after('no_match'),
      no_input: after('no_input'),
      out_of_range: after('out_of_range'),
      filled_others: orElse(compileSpoken(reprompts.filled_others, isResultMember), prompt) ?? prompt,
    },
    variable: raw.variable ?? null,
    write,
    cast: answerCast,
    isRead: cast !== null && !verbatimCasts.has(cast),
    accepts,
    strict,
    defaultAnswer: toTypedDefault(cast, castRules, rules.defaultAnswer),
    allowEmpty: raw.allow_empty === true,
    attemptsMax: attempts != null && Number.isInteger(attempts) && attempts >= 1 ? attempts : null,
    extraction: compileExtraction(raw.extraction),
    reader: rules.readWith === null || cast === null ? null : compileReader(cast, castRules),
    taught: null,
    others: null,
    skips:
      node.skips && write !== null
        ? compileHeldAnswer(raw.variable!, cast, castRules, answerCast, accepts)
        : null,
  };
}

function compileArgs(args: unknown): ToolNode['args'] {
  if (args == null) return null;
  const value = compileValue(args, '');
  const count = jsonCounter(value);
  return (scope) => {
    const rendered = renderValue(value, scope);
    count(rendered, scope.budget);
    return rendered;
  };
}

function compileAutonomous(
  { id, raw, outputVar, waitsFor }: NodeModel,
  { language }: FlowContext,
): AutonomousNode {
  const iterations = raw.max_iterations;
  const seconds = raw.turn_budget;
  const variable = outputVar ?? 'agent_result';
  return {
    id,
    routes: noRoutes,
    assign: compileAssignments(raw),
    type: 'autonomous',
    goal: text(raw.goal),
    prompt: text(raw.prompt),
    addPersona: raw.add_global_prompt !== false,
    tools: raw.tools == null ? null : compileAgentTools(raw.tools),
    specBytes: jsonBytes([raw.tools, raw.tool_dispatch, raw.documents, raw.mcp], limits.turnResultBytesMax),
    toolDispatch: raw.tool_dispatch ?? null,
    documents: raw.documents ?? null,
    mcp: raw.mcp ?? null,
    context: raw.context_vars?.map((name) => ({ name, read: compileLookup(name) })) ?? null,
    maxIterations: bounded(iterations, limits.agentIterationsDefault, limits.agentIterationsMax, Math.floor),
    turnBudgetSeconds: bounded(seconds, limits.agentBudgetSecondsDefault, limits.agentBudgetSecondsMax),
    outputVar: variable,
    write: compileWriter(variable),
    talkTurnsMax:
      waitsFor === 'talk'
        ? bounded(readNumber(raw['max_turns']), limits.talkTurnsDefault, limits.talkTurnsMax, Math.floor)
        : null,
    values: waitsFor === 'talk' ? compileAgentValues(raw.extraction, language) : null,
  };
}

const readNumber = (authored: unknown): number | null => (typeof authored === 'number' ? authored : null);

/** An authored bound within (0, max]; the default unless it is usable. */
function bounded(
  authored: number | null | undefined,
  fallback: number,
  max: number,
  round = (value: number) => value,
): number {
  const value = round(authored ?? fallback);
  return value > 0 ? Math.min(value, max) : fallback;
}

function compileWebhook({ id, raw }: NodeModel, language: string | null): CompiledWebhook {
  const { url, events, payload, headers } = raw as unknown as AuthoredWebhook;
  const wanted = (['completed', 'handed_off'] as const).filter(
    (event) => events == null || events.includes(event),
  );
  return {
    nodeId: id,
    events: new Set(wanted),
    renderUrl: compileMember(url, language),
    renderHeaders: compileMember(headers, language),
    renderPayload: compileMember(payload, language),
  };
}

function compileMember(authored: unknown, language: string | null): WebhookMember {
  if (authored == null) return null;
  const template = compileValue(authored, '');
  const nothing = { userInput: null, inputStatus: null, attempts: null, language, session: null };
  return (variables, budget, nowMs) =>
    tryWithinBudget(
      () => {
        const value = renderValue(template, { ...nothing, variables, budget, turn: { nowMs } });
        budget.json(value);
        return value;
      },
      () => undefined,
    );
}
