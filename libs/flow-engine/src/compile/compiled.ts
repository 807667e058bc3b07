// The compiled form of a flow: direct references instead of ids, closures instead of texts.
import type { RepromptStatus } from '../define/answer-rules.ts';
import type { Acceptance } from '../read/acceptance.ts';
import type { AnswerCast } from '@parley/answers';
import type { Verdict } from '../read/verdicts.ts';
import type { CompiledExtraction } from '../walk/extraction.ts';
import type { Template } from './interpolate.ts';
import type { FlowModel } from '../define/model.ts';
import type { Bag, Scope, Writer } from '../read/paths.ts';
import type { TurnBudget } from '../read/turn-budget.ts';
import type { Assign } from '../walk/assign.ts';
import type { SecondReader } from '../walk/second-reader.ts';
import type { HeldAnswer } from '../read/held-answer.ts';
import type { OtherQuestions } from './other-questions.ts';
import type { AgentTool } from '../walk/turn.ts';

export interface CompiledFlow {
  readonly model: FlowModel;
  /**
   * Where a turn without a current node begins; null when there is no such node, or the walk cannot
   * stand on it.
   */
  readonly start: CompiledNode | null;
  /** Nodes that the walk may stand on. */
  readonly nodes: ReadonlyMap<string, CompiledNode>;
  /**
   * What may be called from every question; null where there is nothing, and then no end goes back
   * to one.
   */
  readonly commands: Commands | null;
  /** The prompt of the global node. */
  readonly persona: Template | null;
  /** Webhook nodes: the service calls them after a turn that ends the flow. */
  readonly webhooks: readonly CompiledWebhook[];
}

export interface CompiledWebhook {
  readonly nodeId: string;
  /** Which endings it is called for. */
  readonly events: ReadonlySet<'completed' | 'handed_off'>;
  readonly renderUrl: WebhookMember;
  readonly renderHeaders: WebhookMember;
  readonly renderPayload: WebhookMember;
}

/**
 * A member of a webhook node over the final bag, undefined where the budget does not reach; null
 * when the node has none.
 */
export type WebhookMember = ((variables: Bag, budget: TurnBudget, nowMs: number) => unknown) | null;

export type CompiledNode =
  MessageNode | CollectNode | BranchNode | ToolNode | AutonomousNode | HandoffNode | EndNode;

interface NodeCore {
  readonly id: string;
  /**
   * Tells a node from a step of the walk; `in` would look through every shape of a node, and cost a
   * turn a tenth.
   */
  readonly kind?: undefined;
  /** What is set when the node is left; null = nothing. */
  readonly assign: Assign | null;
  readonly routes: Routes;
}

export interface MessageNode extends NodeCore {
  readonly type: 'message';
  readonly text: Template | null;
}

export interface CollectNode extends NodeCore {
  readonly type: 'collect';
  readonly prompt: Template | null;
  /** What is said after each failure. */
  readonly reprompts: Readonly<Record<RepromptStatus, Template | null>>;
  readonly variable: string | null;
  readonly write: Writer | null;
  readonly cast: AnswerCast;
  /** null = every value of the cast is accepted. */
  readonly accepts: Acceptance | null;
  /**
   * The whole answer must be the value, and one reading certain: a caller is told when it was not.
   */
  readonly strict: boolean;
  /** Captured when no attempts are left; undefined = nothing is. */
  readonly defaultAnswer: unknown;
  /** Its cast reads words, so that the result says how. */
  readonly isRead: boolean;
  readonly allowEmpty: boolean;
  /** The failure that does not ask again; null = asks for ever. */
  readonly attemptsMax: number | null;
  readonly extraction: CompiledExtraction | null;
  /** What a model is asked for when the cast refuses; null = it is not. */
  readonly reader: SecondReader | null;
  /** Other questions whose variables an answer may fill; null = none. */
  readonly others: OtherQuestions | null;
  /**
   * Whether a value that the variable holds answers the question, which then is not asked; null =
   * it always is.
   */
  readonly skips: HeldAnswer | null;
}

export interface BranchNode extends NodeCore {
  readonly type: 'branch';
}

export interface ToolNode extends NodeCore {
  readonly type: 'tool';
  readonly tool: string | null;
  readonly args: ((scope: Scope) => unknown) | null;
  readonly outputVar: string | null;
  /** The turn ends here, and the next one brings the result. */
  readonly waits: boolean;
  /** Of a node that waits: where its result goes. */
  readonly write: Writer | null;
}

export interface AutonomousNode extends NodeCore {
  readonly type: 'autonomous';
  readonly goal: Template | null;
  readonly prompt: Template | null;
  /** The flow's persona goes before the prompt. */
  readonly addPersona: boolean;
  readonly tools: readonly AgentTool[] | null;
  /** Bytes of the members of its run spec that are the same in every turn. */
  readonly specBytes: number;
  readonly toolDispatch: unknown;
  readonly documents: unknown;
  readonly mcp: unknown;
  readonly context: readonly { readonly name: string; readonly read: (scope: Scope) => unknown }[] | null;
  readonly maxIterations: number;
  readonly turnBudgetSeconds: number;
  readonly outputVar: string;
  readonly write: Writer | null;
}

export interface HandoffNode extends NodeCore {
  readonly type: 'handoff';
  readonly message: Template | null;
  readonly target: string | null;
  readonly reason: Template | null;
  /** The conversation may come back, and then goes on from here. */
  readonly waits: boolean;
}

export interface EndNode extends NodeCore {
  readonly type: 'end';
  readonly message: Template | null;
  /** Goes back to the question that was interrupted, if one was. */
  readonly resumes: boolean;
}

/**
 * The ways out of a node, in routing order. Edges to a node that the walk cannot stand on are left
 * out: they are never taken.
 */
export interface Routes {
  readonly deterministic: readonly ConditionalExit[];
  readonly choices: readonly ChoiceExit[];
  readonly fallback: Exit | null;
}

/** The edges of commands, in the order in which they are tried. */
export interface Commands {
  /**
   * Deterministic ones that are tried before the edges of the question, and those tried after them.
   */
  readonly before: readonly ConditionalExit[];
  readonly after: readonly ConditionalExit[];
  /** Natural-language ones: candidates beside those of the question. */
  readonly choices: readonly ChoiceExit[];
  /** Positions of the edges whose words answer the question that they lead to. */
  readonly answering: ReadonlySet<number>;
}

export interface Exit {
  readonly edgeIndex: number;
  readonly target: CompiledNode;
}

export interface ConditionalExit extends Exit {
  holds(scope: Scope): boolean;
  /** For the trace only: the comparison, or those that `joint` names. */
  readonly compared: readonly CompiledComparison[];
  readonly joint: 'all' | 'any' | null;
}

export interface CompiledComparison {
  readonly test: (scope: Scope) => Verdict;
  readonly variable: string | null;
  readonly op: string | null;
  readonly actual: (scope: Scope) => unknown;
  readonly expected: (scope: Scope) => unknown;
}

export interface ChoiceExit extends Exit {
  readonly nl: string;
  readonly label: string | null;
}
