// The compiled form of a flow: direct references instead of ids, closures instead of texts.
import type { RepromptStatus } from '../define/answer-rules.ts';
import type { Acceptance } from '../read/acceptance.ts';
import type { AnswerCast } from '@parley/answers';
import type { Verdict } from '../read/verdicts.ts';
import type { AgentValues } from '../walk/agent-values.ts';
import type { CompiledExtraction } from '../walk/extraction.ts';
import type { Template } from './interpolate.ts';
import type { SpokenText } from './spoken.ts';
import type { EmbeddedClassifier } from '../classify/classifier.ts';
import type { FlowModel } from '../define/model.ts';
import type { ClassifierOrder, Examples } from '../define/examples.ts';
import type { Bag, Scope, Writer } from '../read/paths.ts';
import type { TurnBudget } from '../read/turn-budget.ts';
import type { Assign } from '../walk/assign.ts';
import type { TaughtChoices } from './choice-examples.ts';
import type { SecondReader } from '../walk/second-reader.ts';
import type { HeldAnswer } from '../read/held-answer.ts';
import type { OtherQuestions } from './other-questions.ts';
import type { AgentTool } from '../walk/turn.ts';

export interface CompiledFlow {
  readonly model: FlowModel;
  /**
   * Where a turn without a current node begins; null when there is no such node or the walk cannot
   * visit it.
   */
  readonly start: CompiledNode | null;
  /** Nodes that the walk may visit. */
  readonly nodes: ReadonlyMap<string, CompiledNode>;
  /** Null when the flow has no commands; then no end goes back to a question. */
  readonly commands: Commands | null;
  readonly persona: Template | null;
  /** Who decides a branch with examples first. */
  readonly classifierOrder: ClassifierOrder;
  /** An agent of the flow talks, so the variables carry a transcript. */
  readonly talks: boolean;
  /** Of nodes that have, or share with commands, a branch with examples; by node id. */
  readonly classifiers: ReadonlyMap<string, BranchClassifier>;
  /** The service calls these after a turn that ends the flow. */
  readonly webhooks: readonly CompiledWebhook[];
}

export interface CompiledWebhook {
  readonly nodeId: string;
  /** The endings that it is called for. */
  readonly events: ReadonlySet<'completed' | 'handed_off'>;
  readonly renderUrl: WebhookMember;
  readonly renderHeaders: WebhookMember;
  readonly renderPayload: WebhookMember;
}

/**
 * Computes a member of a webhook node from the final variables; undefined when the budget does not
 * suffice. Null when the node has no such member.
 */
export type WebhookMember = ((variables: Bag, budget: TurnBudget, nowMs: number) => unknown) | null;

export type CompiledNode =
  MessageNode | CollectNode | BranchNode | ToolNode | AutonomousNode | HandoffNode | EndNode;

interface NodeCore {
  readonly id: string;
  /**
   * Tells a node from a step of the walk. `in` would check every shape of node and cost a tenth of
   * a turn.
   */
  readonly kind?: undefined;
  /** The `set` of the node, which runs when the walk leaves it; null = nothing. */
  readonly assign: Assign | null;
  readonly routes: Routes;
}

export interface MessageNode extends NodeCore {
  readonly type: 'message';
  readonly text: SpokenText | null;
}

export interface CollectNode extends NodeCore {
  readonly type: 'collect';
  readonly prompt: SpokenText | null;
  /** The text after each kind of failure. */
  readonly reprompts: Readonly<Record<RepromptStatus, SpokenText | null>>;
  readonly variable: string | null;
  readonly write: Writer | null;
  readonly cast: AnswerCast;
  /** Null = every value of the cast is accepted. */
  readonly accepts: Acceptance | null;
  /**
   * Accepts only an answer that is the whole value in one certain reading, and tells the caller
   * otherwise.
   */
  readonly strict: boolean;
  /** Captured when no attempts are left; undefined = none. */
  readonly defaultAnswer: unknown;
  /** Its cast reads words, so the result says how it read them. */
  readonly isRead: boolean;
  readonly allowEmpty: boolean;
  /** The number of failures after which it stops asking; null = it asks permanently. */
  readonly attemptsMax: number | null;
  readonly extraction: CompiledExtraction | null;
  /** The model that reads what the cast refuses; null = none. */
  readonly reader: SecondReader | null;
  /** Null = no choice has examples. */
  readonly taught: TaughtChoices | null;
  /** Other questions whose variables an answer may fill; null = none. */
  readonly others: OtherQuestions | null;
  /** Skips the question when its variable already holds an answer; null = it always asks. */
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
  /** Where a waiting node stores its result. */
  readonly write: Writer | null;
  /** Members without which its result counts as an error. */
  readonly required: readonly string[];
}

export interface AutonomousNode extends NodeCore {
  readonly type: 'autonomous';
  readonly goal: Template | null;
  readonly prompt: Template | null;
  /** Puts the flow's persona before the prompt. */
  readonly addPersona: boolean;
  readonly tools: readonly AgentTool[] | null;
  /** Bytes of the members of its run spec that every turn repeats. */
  readonly specBytes: number;
  readonly toolDispatch: unknown;
  readonly documents: unknown;
  readonly mcp: unknown;
  readonly context: readonly { readonly name: string; readonly read: (scope: Scope) => unknown }[] | null;
  readonly maxIterations: number;
  readonly turnBudgetSeconds: number;
  readonly outputVar: string;
  readonly write: Writer | null;
  /** It talks with the caller and answers at most so many utterances; null = it runs once. */
  readonly talkTurnsMax: number | null;
  /** What an agent that talks finds out beside its words. */
  readonly values: AgentValues | null;
}

export interface HandoffNode extends NodeCore {
  readonly type: 'handoff';
  readonly message: SpokenText | null;
  readonly target: string | null;
  readonly reason: Template | null;
  /** The conversation may come back and continue from here. */
  readonly waits: boolean;
}

export interface EndNode extends NodeCore {
  readonly type: 'end';
  readonly message: SpokenText | null;
  /** Goes back to the interrupted question, if there is one. */
  readonly resumes: boolean;
}

/**
 * Outgoing edges of a node, in routing order, without edges to nodes that the walk cannot visit.
 */
export interface Routes {
  readonly deterministic: readonly ConditionalExit[];
  readonly choices: readonly ChoiceExit[];
  readonly fallback: Exit | null;
}

/** The edges of commands, in the order in which the walk tries them. */
export interface Commands {
  /** Deterministic ones: tried before, and after, the edges of the question. */
  readonly before: readonly ConditionalExit[];
  readonly after: readonly ConditionalExit[];
  /** Natural-language ones: the classifier chooses among them and those of the question. */
  readonly choices: readonly ChoiceExit[];
  /** Positions of edges whose words also answer the question that they lead to. */
  readonly answering: ReadonlySet<number>;
}

export interface Exit {
  readonly edgeIndex: number;
  readonly target: CompiledNode;
}

export interface ConditionalExit extends Exit {
  holds(scope: Scope): boolean;
  /** For the trace only: the comparison, or those that `joint` joins. */
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
  /** Null = the edge has no examples. */
  readonly examples: CompiledExamples | null;
}

/** What was learned of the edges of one node and of all commands. */
export interface BranchClassifier {
  readonly exits: readonly ChoiceExit[];
  readonly embedded: EmbeddedClassifier;
}

export interface CompiledExamples extends Examples {
  /** The examples as written, by their normalised words, and the same of counter-examples. */
  readonly said: ReadonlyMap<string, string>;
  readonly notMeant: ReadonlySet<string>;
}
