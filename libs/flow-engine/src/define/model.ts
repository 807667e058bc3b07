// A parsed flow: canonical members beside the untouched authored document.
import type { Cast } from '@parley/answers';
import type { AuthoredEdge, AuthoredFlow, AuthoredNode } from './definition.ts';
import type { NodeType } from './node-types.ts';
import type { Operator } from './operators.ts';
import type { WaitsFor } from './waits.ts';

export interface FlowModel {
  /** The document as authored, the same object that was parsed: never copied, never changed. */
  readonly definition: AuthoredFlow;
  readonly flowId: string | null;
  readonly name: string | null;
  /** `language`, BCP 47; null = absent. */
  readonly language: string | null;
  /**
   * Entry node id: `start`, else the node with id `start`, else the first node; null without nodes.
   * May name no node.
   */
  readonly startId: string | null;
  /** The node behind `startId`, or null when there is none. */
  readonly start: NodeModel | null;
  /** In declared order, duplicates included. */
  readonly nodes: readonly NodeModel[];
  readonly edges: readonly EdgeModel[];
  /** By id; of nodes that share an id, the first. */
  readonly nodesById: ReadonlyMap<string, NodeModel>;
  /** Edges by source id, in declared order, which is priority. Sources may name no node. */
  readonly outgoing: ReadonlyMap<string, readonly EdgeModel[]>;
}

export interface NodeModel {
  /** Position in `definition.nodes`. */
  readonly index: number;
  readonly id: string;
  /** Canonical type; null = unknown type. */
  readonly type: NodeType | null;
  /** Canonical cast (default string); null = unknown cast. Only a collect node uses it. */
  readonly cast: Cast | null;
  /** `output_var`; an autonomous node without one writes `agent_result`. */
  readonly outputVar: string | null;
  /** What the next turn must bring to continue from here; null = the walk does not wait here. */
  readonly waitsFor: WaitsFor | null;
  /** The walk skips this question when its variable holds an answer. */
  readonly skips: boolean;
  readonly raw: AuthoredNode;
}

/**
 * deterministic = {variable, op, value}; nl = natural language; default = no condition, or
 * `default: true`. An edge that mixes kinds is an error of validation; here `default: true` wins,
 * then the deterministic condition.
 */
export type EdgeKind = 'deterministic' | 'nl' | 'default';

export interface EdgeModel {
  /** Position in `definition.edges`. */
  readonly index: number;
  readonly source: string;
  readonly target: string;
  readonly kind: EdgeKind;
  /**
   * The deterministic condition, also on an edge that mixes kinds; null when there is none, or a
   * list of them.
   */
  readonly condition: Condition | null;
  /** `all` or `any` in place of one comparison. */
  readonly group: ConditionGroup | null;
  /** `nl`, else `condition`; null when both are absent or blank. */
  readonly nl: string | null;
  readonly label: string | null;
  readonly caseSensitive: boolean;
  /** The author wrote `default: true`. */
  readonly saysDefault: boolean;
  readonly raw: AuthoredEdge;
}

export interface ConditionGroup {
  /** Whether all must hold or one is enough. An empty list never holds. */
  readonly joint: 'all' | 'any';
  readonly members: readonly Condition[];
}

export interface Condition {
  /** Its place below the edge: `[]`, or `['all', 2]`. */
  readonly at: readonly (string | number)[];
  /**
   * Dotted path of a variable, or an engine variable (define/engine-variables.ts); null = an op or
   * a value without one.
   */
  readonly variable: string | null;
  /**
   * Canonical operator; null = unknown. An omitted one is `eq` with a value and `exists` without.
   */
  readonly op: Operator | null;
  /** As written; null = omitted. */
  readonly authoredOp: string | null;
  readonly value: unknown;
  /** The author wrote `value`, perhaps as null. */
  readonly hasValue: boolean;
}
