// The shape of a trace: the result of each node visit.
import type { ReadingLevel } from '@parley/answers';
import type { AssignmentOp } from '../define/assignments.ts';
import type { EdgeKind } from '../define/model.ts';
import type { NodeType } from '../define/node-types.ts';
import type { HandoffStatus } from '../define/waits.ts';
import type { InputStatus } from '../read/paths.ts';
import type { ComparisonNote } from '../read/verdicts.ts';
import type { AgentOutcome, ClassifierOutcome, Decider } from './turn.ts';

/** One node visit of a traced turn. */
export interface TraceStep {
  readonly nodeId: string;
  readonly type: NodeType;
  /** The answer at a resumed collect node. */
  readonly input: TraceInput | null;
  readonly extraction: TraceExtraction | null;
  /** The agent that ran in process. */
  readonly agent?: TraceAgent;
  /** The caller's answer to a waiting tool or a returned handoff. */
  readonly result?: TraceResult;
  /** The member of a tool's result that a text of the node reads: it was not spoken. */
  readonly missing?: string;
  /** Variables that were set on leaving, in order. */
  readonly sets?: readonly TraceSet[];
  /**
   * How the classifier was asked, or why not; null when the walk reached no natural-language edge.
   */
  readonly classifier: TraceClassifier | null;
  /**
   * Edges in the order in which they were tried. One trace lists limits.traceEdgesMax of them; the
   * rest are counted.
   */
  readonly edges: readonly TraceEdge[];
  readonly edgesOmitted: number;
  /** Null when no edge was taken: the walk ended here, or found no edge. */
  readonly decidedBy: 'deterministic' | 'classifier' | 'default' | null;
  /** The edge taken: its position in `definition.edges`. */
  readonly edgeIndex: number | null;
  readonly target: string | null;
  /** The called command: the trigger whose edge was taken. */
  readonly command?: string;
  readonly why: string;
}

export interface TraceInput {
  readonly status: InputStatus;
  readonly attempts: number;
  /** Why the cast failed. */
  readonly reason: string | null;
  /** How a captured answer was read, the unread words, and what the caller took back. */
  readonly reading?: ReadingLevel;
  readonly unread?: readonly string[];
  readonly discarded?: string;
  /**
   * Variables of other questions that the answer filled, with the node whose rules read them and
   * the words.
   */
  readonly filled?: readonly TraceFill[];
  /** The examples of a choice decided. */
  readonly examples?: TraceExamples;
  /** The question was skipped: its variable held an answer. */
  readonly skipped?: true;
  /** The proposal of a model after the cast refused. */
  readonly proposal?: TraceProposal;
}

/** Members as on the wire. */
export interface TraceExamples {
  readonly by: 'example' | 'embedded';
  readonly confidence: number;
  /** The nearest example of the choice, as written. */
  readonly nearest: string;
  /** The choice that the answer was like next. */
  readonly runner_up?: string | number | boolean;
}

/** Members as on the wire. */
export interface TraceProposal {
  readonly outcome:
    | 'captured'
    | 'unavailable'
    | 'nothing_proposed'
    | 'words_not_said'
    | 'words_say_otherwise'
    | 'not_accepted'
    | 'out_of_range';
  readonly decided_by: 'model' | null;
  readonly value?: unknown;
  readonly words?: string;
  /** Why nothing was proposed, or why the cast refused the proposal. */
  readonly reason?: string;
}

export interface TraceFill {
  readonly variable: string;
  readonly node_id: string;
  readonly words: readonly string[];
}

export interface TraceResult {
  readonly status: 'ok' | 'error' | 'pending' | HandoffStatus;
  /** The code of an error; why a handoff came back. */
  readonly reason: string | null;
  /** The member that the result of a tool lacks, so that it counts as an error. */
  readonly missing?: string;
}

export interface TraceSet {
  readonly variable: string;
  readonly op: AssignmentOp;
  /** As rendered, long ones truncated. */
  readonly operand: unknown;
  /** The value of the variable afterwards. */
  readonly value: unknown;
  /** Why nothing changed. */
  readonly note: 'not_a_number' | 'out_of_range' | 'not_a_list' | 'list_is_full' | null;
}

export interface TraceClassifier {
  readonly outcome: ClassifierOutcome;
  /** As answered, even if it was rejected. */
  readonly index: number | null;
  readonly confidence: number | null;
  /** Why there was no answer, such as `unauthorized`. */
  readonly failure?: string | undefined;
  /** Who decided, on a branch with examples. */
  readonly by?: Decider | undefined;
  /** The nearest example of the edge, as written. */
  readonly nearest?: string | undefined;
  /** The edge that the utterance was like next: its position in `definition.edges`. */
  readonly runner_up?: number | undefined;
}

export interface TraceExtraction {
  readonly merged: readonly string[];
  readonly rejected: readonly string[];
  /** Why there was no answer. */
  readonly unavailable: string | null;
}

export interface TraceAgent {
  readonly status: AgentOutcome['status'];
  /** Why there was no answer, such as `unauthorized`. */
  readonly failure?: string | undefined;
}

export interface TraceEdge {
  readonly edgeIndex: number;
  readonly kind: EdgeKind;
  readonly target: string;
  readonly result: boolean;
  /** Deterministic: the compared operands, long ones truncated. */
  readonly variable?: string | null;
  readonly op?: string | null;
  readonly actual?: unknown;
  readonly expected?: unknown;
  readonly note?: ComparisonNote | null;
  /**
   * Instead of these, for an edge that joins several: each comparison, also those no longer tried.
   */
  readonly all?: readonly TraceComparison[];
  readonly any?: readonly TraceComparison[];
  /** Natural language: the condition in the question to the classifier. */
  readonly nl?: string;
}

export interface TraceComparison {
  readonly result: boolean;
  readonly variable: string | null;
  readonly op: string | null;
  readonly actual: unknown;
  readonly expected: unknown;
  readonly note: ComparisonNote | null;
}
