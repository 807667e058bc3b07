// Work whose time grows with the request, as functions of plain data: small work runs on the main
// thread, the rest on a heavy thread (heavy-work.ts). Threads load this file, so it imports nothing
// that opens a connection.
import { AppError } from '@parley/envelopes';
import {
  diffFlows,
  expandCalls,
  playTest,
  validateExpansion,
  type ConversationTest,
} from '@parley/flow-analysis';
import {
  compileFlow,
  jsonBytes,
  turnResultToWire,
  walkTurn,
  type CalledVersions,
  type CallerAnswer,
  type CompiledFlow,
  type FlowModel,
  type TurnInput,
} from '@parley/flow-engine';
import { importFlow, type FormatName } from '@parley/importers';
import { toDot, toMermaid } from './diagram.rules.ts';
import { createMask } from '../credentials/mask.ts';
import { catchUp, type History } from '../walk/catch-up.ts';
import { driveTurn, type Answers, toTurnResult } from '../walk/turn.ts';
import { UnansweredQuestion, createGivenAnswers } from '../walk/unanswered-question.ts';
import {
  compare,
  cover,
  generate,
  measureClassifier,
  reachTarget,
  readUtterance,
  replay,
} from './explain-jobs.ts';
import {
  ANSWER_BYTES_MAX,
  answerTooLarge,
  readFlow,
  parseDefinition,
  limitAnswer,
  type Playable,
} from './job-parts.ts';
import { teach } from './teach-job.ts';

/** Two definitions as JSON. */
export interface DiffInput {
  readonly from: string;
  readonly to: string;
  /** Names of the versions. The diff shows another name as a change of the flow. */
  readonly names: { readonly from: string | undefined; readonly to: string | undefined };
  /** Sides whose credentials are masked. */
  readonly masked: readonly ('from' | 'to')[];
}

export type SimulationInput = Playable & {
  readonly conversation: Conversation;
  /**
   * Answers to the questions of its first turn, in order. A turn that is walked again asks the
   * same.
   */
  readonly answered: readonly unknown[];
};

export type CatchUpInput = Playable & {
  readonly history: History;
  /** As in SimulationInput. */
  readonly answered: readonly unknown[];
};

/** What arrives at one turn. */
export interface IncomingTurn {
  readonly userInput: string | null;
  readonly answer: CallerAnswer | null;
  /** From this turn on. */
  readonly nowMs?: number | undefined;
  /** Merged into the variables before the turn. */
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
}

/** The rest of a conversation. */
export interface Conversation {
  readonly incoming: readonly IncomingTurn[];
  /** The input of the first of these turns. The next ones continue from its result. */
  readonly turn: Omit<TurnInput, 'userInput' | 'answer'>;
  /** Bytes left for the response. */
  readonly bytesLeft: number;
}

interface Playing {
  readonly nowMs: number;
  readonly stepsMax: number;
  readonly stepsProvedMax: number | null;
}

export type TestsInput = Playable & {
  readonly tests: readonly { readonly name: string; readonly test: ConversationTest }[];
  readonly playing: Playing;
};

/** Layout is more than linear in the graph. Clients can lay out the DOT of larger flows. */
const SVG_NODES_MAX = 200;
const SVG_EDGES_MAX = 400;

export type DiagramFormat = 'mermaid' | 'dot' | 'svg';
const draw: Readonly<Record<DiagramFormat, (flow: FlowModel) => Promise<string>>> = {
  mermaid: async (flow) => toMermaid(flow),
  dot: async (flow) => toDot(flow),
  // Loaded on first use: Graphviz takes 2 MB, and most processes draw nothing.
  svg: async (flow) =>
    (await (await import('@viz-js/viz')).instance()).renderString(toDot(flow), { format: 'svg' }),
};

function refuseLargeSvg({ nodes, edges }: FlowModel): void {
  if (nodes.length <= SVG_NODES_MAX && edges.length <= SVG_EDGES_MAX) return;
  const limit = `${SVG_NODES_MAX} nodes and ${SVG_EDGES_MAX} edges`;
  throw new AppError('limit_exceeded', `svg has at most ${limit}; use dot or mermaid`);
}

export const heavyJobs = {
  validate: async ({
    definition,
    flowId,
    called,
    stepsMax,
    allowedOrigins,
    hasExtractor,
    models,
  }: ValidationInput) => {
    const allowed = new Set(allowedOrigins);
    const allowsUrl = ({ origin }: URL) => allowed.has(origin);
    const authored = parseDefinition(definition).definition;
    const expansion = expandCalls(authored, flowId, called);
    const options = { stepsMax, allowsUrl, hasExtractor, models };
    const validation = validateExpansion(authored, expansion, options);
    return expansion.calls.length === 0
      ? { validation, expanded: null, calls: null }
      : { validation, expanded: expansion.definition, calls: expansion.calls };
  },
  diff: async (differing: DiffInput) => {
    const shown = createMask();
    const [from, to] = (['from', 'to'] as const).map((which) => {
      const definition = JSON.parse(differing[which]) as object;
      const seen = differing.masked.includes(which) ? shown.definition(definition) : definition;
      return parseDefinition(seen, { name: differing.names[which] });
    });
    return limitAnswer(diffFlows(from!, to!));
  },
  draw: async ({ format, ...drawn }: Playable & { readonly format: DiagramFormat }) => {
    const flow = readFlow(drawn);
    if (format === 'svg') refuseLargeSvg(flow);
    return limitAnswer(await draw[format](flow));
  },
  simulate: async ({ conversation, answered, ...played }: SimulationInput) =>
    simulate(compileFlow(readFlow(played)), conversation, createGivenAnswers(answered)),
  catchUp: async ({ history, answered, ...played }: CatchUpInput) => {
    const answers = createGivenAnswers(answered);
    return catchUp(compileFlow(readFlow(played)), history, () => answers);
  },
  test: async ({ tests, playing, ...played }: TestsInput) =>
    playTests(compileFlow(readFlow(played)), tests, playing),
  import: async ({
    source,
    format,
  }: {
    readonly source: unknown;
    readonly format?: FormatName | undefined;
  }) => limitAnswer(importFlow(source, format)),
  replay,
  generate,
  cover,
  measureClassifier,
  reach: reachTarget,
  read: readUtterance,
  compare,
  teach,
};

interface ValidationInput {
  readonly definition: unknown;
  /** Null: it has no id yet. */
  readonly flowId: string | null;
  readonly called: CalledVersions;
  readonly stepsMax: number;
  /** Origins that tools and webhooks may use although they are not public. */
  readonly allowedOrigins: readonly string[];
  readonly hasExtractor?: boolean | undefined;
  readonly models?: readonly string[] | undefined;
}

export type HeavyJob = keyof typeof heavyJobs;
export type HeavyInput<Job extends HeavyJob> = Parameters<(typeof heavyJobs)[Job]>[0];
export type HeavyOutput<Job extends HeavyJob> = Awaited<ReturnType<(typeof heavyJobs)[Job]>>;

/** Conversations run this long on the main thread before the rest moves to a heavy thread. */
export const MAIN_THREAD_MS = 20;

/**
 * Runs turn after turn until the flow ends. Stops before a turn when the time is up, and at a
 * question without an answer; `left` is the rest.
 */
export async function simulate(
  flow: CompiledFlow,
  conversation: Conversation,
  answers: Answers,
  msMax = Infinity,
) {
  const { incoming } = conversation;
  const started = performance.now();
  const turns = [];
  let { turn, bytesLeft } = conversation;
  for (const [index, { userInput, answer, nowMs, variables }] of incoming.entries()) {
    const left = { incoming: incoming.slice(index), turn, bytesLeft };
    if (performance.now() - started > msMax) return { turns, left };
    try {
      if (nowMs !== undefined) turn = { ...turn, nowMs };
      if (variables !== undefined) turn = { ...turn, variables: { ...turn.variables, ...variables } };
      const variablesBytes = jsonBytes(turn.variables, bytesLeft);
      const first = walkTurn(flow, { ...turn, userInput, answer, variablesBytes });
      const result = toTurnResult(await driveTurn(first, answers));
      const played = { user_input: userInput, ...turnResultToWire(result) };
      bytesLeft -= jsonBytes(played, bytesLeft);
      if (bytesLeft < 0) throw answerTooLarge();
      turns.push(played);
      if (result.nextNode === null) break;
      turn = { ...turn, currentNode: result.nextNode, variables: result.variables };
    } catch (error) {
      if (!(error instanceof UnansweredQuestion)) throw error;
      return { turns, left, asked: { to: error.to, question: error.question } };
    }
    await breathe();
  }
  return { turns };
}

/** Stops before a turn when the time is up. The tests after it have no result. */
export async function playTests(
  flow: CompiledFlow,
  tests: TestsInput['tests'],
  playing: Playing,
  msMax = Infinity,
) {
  const started = performance.now();
  const results = [];
  let left = ANSWER_BYTES_MAX;
  for (const { name, test } of tests) {
    const isLate = () => performance.now() - started > msMax;
    const failures = playTest(flow, test, playing.nowMs, playing, isLate);
    if (failures === null) return results;
    const result = { name, passed: failures.length === 0, failures };
    const bytes = jsonBytes(result, left);
    // A failure is always reported; its details only while there is room.
    const told =
      bytes > left
        ? { ...result, failures: failures.map(({ path }) => ({ path, expected: null, actual: null })) }
        : result;
    left -= Math.min(bytes, left);
    results.push(told);
    await breathe();
  }
  return results;
}

/** Lets other requests run between two turns: one turn is bounded, a hundred are long. */
const breathe = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
