// Work whose time grows with what was sent, as functions of plain data: run here when it is small, else in a thread (heavy-work.ts).
// Nothing here reads a store. Shared by the thread, so it imports nothing that opens a connection.
import { AppError } from '@parley/envelopes';
import {
  compileFlow,
  diffFlows,
  expandCalls,
  jsonBytes,
  playTest,
  turnResultToWire,
  validateExpansion,
  walkTurn,
  type CalledVersions,
  type CallerAnswer,
  type CompiledFlow,
  type ConversationTest,
  type FlowModel,
  type TurnInput,
} from '@parley/flow-engine';
import { importFlow, type FormatName } from '@parley/importers';
import { dotOf, mermaidOf } from './diagram.rules.ts';
import { masking } from '../credentials/masking.ts';
import { catchUp, type History } from '../walk/catch-up.ts';
import { driveTurn, type Answers, resultOf } from '../walk/turn.ts';
import { Asked, answeredBefore } from '../walk/model-question.ts';
import { compare, cover, generate, reachIn, readIn, replay } from './explain-jobs.ts';
import {
  ANSWER_BYTES_MAX,
  answerTooLarge,
  flowOf,
  parseDefinition,
  withinAnswer,
  type Playable,
} from './job-parts.ts';

/** Two definitions, each as JSON. */
export interface Differing {
  readonly from: string;
  readonly to: string;
  /** A version's name stands beside its definition; the diff shows it as a change of the flow itself. */
  readonly names: { readonly from: string | undefined; readonly to: string | undefined };
  /** Whose credentials are not shown to whoever asks. */
  readonly masked: readonly ('from' | 'to')[];
}

export type Simulated = Playable & {
  readonly conversation: Conversation;
  /** To the questions of its first turn, in their order: a turn that is walked again asks the same. */
  readonly answered: readonly unknown[];
};

export type CaughtUp = Playable & {
  readonly history: History;
  /** As those of a simulation. */
  readonly answered: readonly unknown[];
};

/** What comes in at one turn. */
export interface TurnGiven {
  readonly userInput: string | null;
  readonly answer: CallerAnswer | null;
  /** From this turn on. */
  readonly nowMs?: number | undefined;
  /** Written into the bag before it. */
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
}

/** What is left of a conversation. */
export interface Conversation {
  readonly given: readonly TurnGiven[];
  /** What the first of these turns begins with; the others follow from it. */
  readonly turn: Omit<TurnInput, 'userInput' | 'answer'>;
  /** Of the answer. */
  readonly bytesLeft: number;
}

interface Playing {
  readonly nowMs: number;
  readonly stepsMax: number;
  readonly stepsProvedMax: number | null;
}

export type Tested = Playable & {
  readonly tests: readonly { readonly name: string; readonly test: ConversationTest }[];
  readonly playing: Playing;
};

/** Layout is more than linear in the graph; beyond this draw the DOT yourself. */
const SVG_NODES_MAX = 200;
const SVG_EDGES_MAX = 400;

export type DiagramFormat = 'mermaid' | 'dot' | 'svg';
const draw: Readonly<Record<DiagramFormat, (flow: FlowModel) => Promise<string>>> = {
  mermaid: async (flow) => mermaidOf(flow),
  dot: async (flow) => dotOf(flow),
  // Loaded with the first one that is drawn: Graphviz is two megabytes, and most processes draw none.
  svg: async (flow) =>
    (await (await import('@viz-js/viz')).instance()).renderString(dotOf(flow), { format: 'svg' }),
};

function refuseLargeSvg({ nodes, edges }: FlowModel): void {
  if (nodes.length <= SVG_NODES_MAX && edges.length <= SVG_EDGES_MAX) return;
  const limit = `${SVG_NODES_MAX} nodes and ${SVG_EDGES_MAX} edges`;
  throw new AppError('limit_exceeded', `svg is drawn for flows of at most ${limit}; ask for dot or mermaid`);
}

export const heavyJobs = {
  validate: async ({ definition, flowId, called, stepsMax, allowedOrigins, hasExtractor }: Validated) => {
    const allowed = new Set(allowedOrigins);
    const allowsUrl = ({ origin }: URL) => allowed.has(origin);
    const authored = parseDefinition(definition).definition;
    const expansion = expandCalls(authored, flowId, called);
    const validation = validateExpansion(authored, expansion, { stepsMax, allowsUrl, hasExtractor });
    return expansion.calls.length === 0
      ? { validation, expanded: null, calls: null }
      : { validation, expanded: expansion.definition, calls: expansion.calls };
  },
  diff: async (differing: Differing) => {
    const shown = masking();
    const [from, to] = (['from', 'to'] as const).map((which) => {
      const definition = JSON.parse(differing[which]) as object;
      const seen = differing.masked.includes(which) ? shown.definition(definition) : definition;
      return parseDefinition(seen, { name: differing.names[which] });
    });
    return withinAnswer(diffFlows(from!, to!));
  },
  draw: async ({ format, ...drawn }: Playable & { readonly format: DiagramFormat }) => {
    const flow = flowOf(drawn);
    if (format === 'svg') refuseLargeSvg(flow);
    return withinAnswer(await draw[format](flow));
  },
  simulate: async ({ conversation, answered, ...played }: Simulated) =>
    simulate(compileFlow(flowOf(played)), conversation, answeredBefore(answered)),
  catchUp: async ({ history, answered, ...played }: CaughtUp) => {
    const answers = answeredBefore(answered);
    return catchUp(compileFlow(flowOf(played)), history, () => answers);
  },
  test: async ({ tests, playing, ...played }: Tested) =>
    playTests(compileFlow(flowOf(played)), tests, playing),
  import: async ({
    source,
    format,
  }: {
    readonly source: unknown;
    readonly format?: FormatName | undefined;
  }) => withinAnswer(importFlow(source, format)),
  replay,
  generate,
  cover,
  reach: reachIn,
  read: readIn,
  compare,
};

interface Validated {
  readonly definition: unknown;
  /** Null: it has no id yet. */
  readonly flowId: string | null;
  readonly called: CalledVersions;
  readonly stepsMax: number;
  /** Where tools and webhooks may be although it is not public. */
  readonly allowedOrigins: readonly string[];
  readonly hasExtractor?: boolean | undefined;
}

export type HeavyJob = keyof typeof heavyJobs;
export type HeavyInput<Job extends HeavyJob> = Parameters<(typeof heavyJobs)[Job]>[0];
export type HeavyOutput<Job extends HeavyJob> = Awaited<ReturnType<(typeof heavyJobs)[Job]>>;

/** How long conversations go on in the thread that answers everybody, before the rest of them goes to one of these. */
export const HERE_MS = 20;

/**
 * One turn after the other, until the flow ends. Stops before a turn when so much time is up, and at a question that cannot be answered
 * here; `left` goes on from there.
 */
export async function simulate(
  flow: CompiledFlow,
  conversation: Conversation,
  answers: Answers,
  msMax = Infinity,
) {
  const { given } = conversation;
  const started = performance.now();
  const turns = [];
  let { turn, bytesLeft } = conversation;
  for (const [index, { userInput, answer, nowMs, variables }] of given.entries()) {
    const left = { given: given.slice(index), turn, bytesLeft };
    if (performance.now() - started > msMax) return { turns, left };
    try {
      if (nowMs !== undefined) turn = { ...turn, nowMs };
      if (variables !== undefined) turn = { ...turn, variables: { ...turn.variables, ...variables } };
      const variablesBytes = jsonBytes(turn.variables, bytesLeft);
      const first = walkTurn(flow, { ...turn, userInput, answer, variablesBytes });
      const result = resultOf(await driveTurn(first, answers));
      const played = { user_input: userInput, ...turnResultToWire(result) };
      bytesLeft -= jsonBytes(played, bytesLeft);
      if (bytesLeft < 0) throw answerTooLarge();
      turns.push(played);
      if (result.nextNode === null) break;
      turn = { ...turn, currentNode: result.nextNode, variables: result.variables };
    } catch (error) {
      if (!(error instanceof Asked)) throw error;
      return { turns, left, asked: { to: error.to, question: error.question } };
    }
    await breathe();
  }
  return { turns };
}

/** Stops before a turn when so much time is up: then the last tests are without a result. */
export async function playTests(
  flow: CompiledFlow,
  tests: Tested['tests'],
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
    // That it failed is told in any case; what it came to, as far as there is room.
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

/** Between two turns others get a turn: each is bounded, a hundred of them are not. */
const breathe = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
