// The shapes of one turn: input, result, and the questions on the way. The walk never awaits: it
// returns a question to the service, which answers through the step's own `resume`.
import type { ReadingLevel } from '@parley/answers';
import type { TurnCost } from '../read/turn-budget.ts';
import type { Bag, InputStatus } from '../read/paths.ts';
import type { CallerAnswer } from '../define/waits.ts';
import type { TraceStep } from './trace-step.ts';
import type { AgentTalk } from './transcript.ts';

export interface TurnInput {
  /** The prior turn's `nextNode`; null = begin at the start node. */
  readonly currentNode: string | null;
  readonly userInput: string | null | undefined;
  /** The caller's answer to a node that waits for it instead of an utterance. */
  readonly answer?: CallerAnswer | null;
  /** Never changed: the result carries a new object. */
  readonly variables: Bag;
  /** Epoch ms: what "tomorrow" is relative to. */
  readonly nowMs: number;
  /** Names the conversation; a turn repeated under the same name says the same. */
  readonly session?: string | null;
  /** Autonomous nodes: asked as `run_agent` questions, or dispatched to the caller as run specs. */
  readonly agentMode: 'in_process' | 'out_of_band';
  /** Without an extractor no `extract` question is asked. */
  readonly extractorAvailable: boolean;
  /** Node visits allowed, first and last included (default limits.stepsMax). */
  readonly stepsMax?: number;
  /** The exact bound that validation proved for this flow; the smaller of the two holds. */
  readonly stepsProvedMax?: number | null;
  /** Defaults: limits.classifierCallsMax and limits.classifierConfidenceMin. */
  readonly classifierCallsMax?: number;
  readonly classifierConfidenceMin?: number;
  /** Bytes of `variables` as JSON: they are part of the result. Uncounted by default. */
  readonly variablesBytes?: number;
  /** In a replay of a turn that another version of the embedded classifier decided. */
  readonly earlier?: EarlierDecisions | undefined;
  /** Requests the steps with their edges, operands and reasons. Off, none of it is computed. */
  readonly trace?: boolean;
}

/** By node id; a node without an entry is decided by the current version. */
export interface EarlierDecisions {
  /** Of the embedded classifier. */
  readonly version: number;
  /** The position of the edge; null = it was not sure. */
  readonly branches: ReadonlyMap<string, number | null>;
  /** The captured choice; undefined = none was. */
  readonly choices: ReadonlyMap<string, unknown>;
}

export type Step =
  | { readonly kind: 'done'; readonly result: TurnOutcome }
  | {
      readonly kind: 'classify';
      readonly question: BranchQuestion;
      readonly resume: (answer: Classification) => Step;
    }
  | {
      readonly kind: 'extract';
      readonly question: ExtractQuestion;
      readonly resume: (answer: Extraction) => Step;
    }
  | {
      readonly kind: 'run_agent';
      readonly spec: AgentSpec;
      readonly resume: (outcome: AgentOutcome) => Step;
    };

/** A result, or a refusal: a value that the service maps to 422. A refusal changes nothing. */
export type TurnOutcome = TurnResult | UnknownNode | AnswerMismatch | TurnDidNotSettle | CostlyTurn;

export interface UnknownNode {
  readonly kind: 'unknown_node';
  /** The requested node; null when the flow has no start node to walk from. */
  readonly nodeId: string | null;
}

/** The turn lacks what its node waits for, or brings what no node waits for. */
export interface AnswerMismatch {
  readonly kind: 'tool_result_mismatch' | 'handoff_result_mismatch';
  /** The requested node; null = the start of the flow. */
  readonly nodeId: string | null;
}

export interface TurnDidNotSettle {
  readonly kind: 'turn_did_not_settle';
  readonly stepsMax: number;
  /** Ids of the nodes visited, in order; the last one exceeded the bound. */
  readonly path: readonly string[];
}

export interface CostlyTurn {
  readonly kind: 'turn_too_costly';
  /** The exceeded limit. */
  readonly cost: TurnCost;
  readonly max: number;
}

export type TurnStatus = 'waiting' | 'waiting_for_tool' | 'completed' | 'handed_off' | 'no_route';

export interface TurnResult {
  readonly kind: 'turn';
  readonly status: TurnStatus;
  /** Where the next turn resumes; null when the flow is over. */
  readonly nextNode: string | null;
  /** Where the walk stopped, terminal or not. */
  readonly lastNode: string;
  readonly outputs: readonly Output[];
  readonly actions: readonly Action[];
  readonly variables: Bag;
  /** What became of the utterance at a resumed collect node; null when none was resumed. */
  readonly input: TurnInputResult | null;
  /** Node visits, first and last included. */
  readonly steps: number;
  /** Ids of the nodes visited, in order. */
  readonly visited: readonly string[];
  /** For each visit the edge taken, as its position in `definition.edges`; undefined = none. */
  readonly taken: readonly (number | undefined)[];
  /**
   * The questions to models and how they ended, for logs and metrics. Includes a branch that could
   * not be asked.
   */
  readonly questions: readonly QuestionOutcome[];
  readonly trace: readonly TraceStep[] | null;
}

export interface Output {
  readonly type: 'message' | 'prompt' | 'reprompt';
  readonly nodeId: string;
  readonly text: string;
}

export interface TurnInputResult {
  readonly status: InputStatus;
  readonly nodeId: string;
  readonly variable: string | null;
  /** The node is strict, and the answer had several readings. */
  readonly ambiguous: boolean;
  /** Of a captured answer that a cast read; null for casts that capture an answer unchanged. */
  readonly reading: ReadingLevel | null;
  /** Unread words of the answer. */
  readonly unread: readonly string[];
  /** Failed attempts at the node, this one included. */
  readonly attempts: number;
  /** Who decided the captured value; null = nothing was captured. */
  readonly decidedBy: 'cast' | Decider | 'default' | null;
  /** Variables of other questions that the answer filled. */
  readonly filled: readonly string[];
}

/** A side effect that the caller executes or records. Null members are absent on the wire. */
export type Action = ToolAction | AutonomousDispatch | AutonomousOutcome | HandoffAction;

export interface ToolAction {
  readonly type: 'tool';
  readonly nodeId: string;
  readonly tool: string | null;
  readonly args: unknown;
  readonly outputVar: string | null;
  /** The turn waits for the result of this call. A repeated turn gives the same id. */
  readonly callId?: string;
}

/** Out of band: the run spec, for the caller to run. */
export interface AutonomousDispatch {
  readonly type: 'autonomous';
  readonly mode: 'out_of_band';
  readonly nodeId: string;
  readonly spec: AgentSpec;
  /** Of an agent that talks: the turn waits for its words. */
  readonly callId?: string;
}

/** In process: the outcome of the loop. */
export interface AutonomousOutcome {
  readonly type: 'autonomous';
  readonly mode: 'in_process';
  readonly nodeId: string;
  readonly goal: string | null;
  readonly outcome: AgentOutcome;
}

export interface HandoffAction {
  readonly type: 'handoff';
  readonly nodeId: string;
  readonly target: string | null;
  readonly reason: string | null;
}

export interface AgentTool {
  readonly name: string;
  readonly description: string | null;
  /** JSON Schema of the arguments. */
  readonly parameters: unknown;
}

/** The input of a bounded agent loop. Bounds are already defaulted and capped. */
export interface AgentSpec {
  readonly nodeId: string;
  readonly goal: string | null;
  /**
   * The system prompt: the flow's persona (unless the node declines it), then the node's own
   * prompt.
   */
  readonly prompt: string | null;
  readonly tools: readonly AgentTool[] | null;
  readonly toolDispatch: unknown;
  readonly documents: unknown;
  readonly mcp: unknown;
  /** The context_vars that are set. */
  readonly context: Bag | null;
  readonly maxIterations: number;
  readonly turnBudgetSeconds: number;
  readonly outputVar: string;
  /** The utterance of the turn; data for the loop, not part of the run spec on the wire. */
  readonly utterance: string | null;
  /** Absent: the agent runs once and does not talk with the caller. */
  readonly talk?: AgentTalk | undefined;
}

export interface AgentToolCall {
  readonly tool: string;
  readonly args: unknown;
  readonly ok: boolean;
  readonly result: unknown;
  readonly ms: number;
}

export interface AgentOutcome {
  /** `replied`: an agent that talks has spoken, and waits for the caller. */
  readonly status: 'goal_reached' | 'replied' | 'max_iterations' | 'budget_exhausted' | 'error';
  readonly answer: string | null;
  readonly iterations: number;
  readonly toolCalls: readonly AgentToolCall[];
  /** Class of the failure for the trace, such as `unauthorized`. */
  readonly failure?: string | undefined;
  /** Of an agent that talks: the branch that it chose. */
  readonly choice?: { readonly index: number; readonly confidence: number } | null | undefined;
  /** Of an agent that talks: what it found out, by variable. Unchecked. */
  readonly values?: Bag | undefined;
}

export interface BranchQuestion {
  readonly nodeId: string;
  readonly utterance: string;
  /** The rendered prompt of the flow's global node. */
  readonly persona: string | null;
  readonly candidates: readonly Candidate[];
}

export interface Candidate {
  /** 0-based, among the candidates of this question. */
  readonly index: number;
  readonly nl: string;
  readonly label: string | null;
  /** What callers say who mean this, and what others say. Absent = none. */
  readonly examples?: readonly string[] | undefined;
  readonly counterExamples?: readonly string[] | undefined;
}

/**
 * Fail-closed: everything but a chosen index of the question, with enough confidence, takes the
 * default edge.
 */
export type Classification =
  | { readonly kind: 'chosen'; readonly index: number; readonly confidence: number }
  | { readonly kind: 'none' }
  | {
      readonly kind: 'unavailable';
      readonly reason: 'timeout' | 'error' | 'budget_spent';
      /** Class of the failure for the trace, such as `unauthorized`. */
      readonly failure?: string | undefined;
    };

export interface ExtractQuestion {
  readonly nodeId: string;
  readonly utterance: string;
  /** The rendered prompt that the caller heard; null when the node has none. */
  readonly prompt: string | null;
  /** A JSON Schema of type object. */
  readonly schema: Readonly<Record<string, unknown>>;
}

export type Extraction =
  | { readonly kind: 'extracted'; readonly values: Bag }
  | { readonly kind: 'unavailable'; readonly reason: string };

/**
 * How a branch with natural-language edges was decided. After already_asked and no_utterance
 * nothing was sent.
 */
export type ClassifierOutcome =
  | 'chosen'
  | 'none'
  | 'wrong_index'
  | 'low_confidence'
  | 'timeout'
  | 'error'
  | 'budget_spent'
  | 'already_asked'
  | 'no_utterance';

/** Who decided: an example that equals the utterance, the embedded classifier, or a model. */
export type Decider = 'example' | 'embedded' | 'model';

export type QuestionOutcome =
  | {
      readonly kind: 'classify';
      readonly nodeId: string;
      readonly outcome: ClassifierOutcome;
      /** Who decided without a model. */
      readonly savedBy?: Decider | undefined;
    }
  | { readonly kind: 'extract'; readonly nodeId: string; readonly outcome: 'extracted' | 'unavailable' }
  | { readonly kind: 'run_agent'; readonly nodeId: string; readonly outcome: AgentOutcome['status'] };
