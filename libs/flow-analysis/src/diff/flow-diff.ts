// The shape of a diff, which the API sends as it is: hence its snake case.
import type { AuthoredEdge, AuthoredNode } from '@parley/flow-engine/define/definition';
import type { PatchOperation, ValueChange } from './json-changes.ts';

export interface FlowDiff {
  /** Only the layout and the order of nodes changed. */
  readonly identical: boolean;
  /** Plain sentences, a few dozen at most. */
  readonly summary: readonly string[];
  /** Members of the flow itself. Includes the start when only the first node changed. */
  readonly metadata: readonly ValueChange[];
  readonly nodes: {
    readonly added: readonly NodeEntry[];
    readonly removed: readonly NodeEntry[];
    readonly changed: readonly NodeChange[];
  };
  readonly edges: {
    readonly added: readonly EdgeEntry[];
    readonly removed: readonly EdgeEntry[];
    readonly changed: readonly EdgeChange[];
    readonly moved: readonly EdgeMove[];
  };
  /** RFC 6902: turns the older definition into the newer one, layout and order included. */
  readonly patch: readonly PatchOperation[];
}

export interface NodeEntry {
  readonly id: string;
  readonly node: AuthoredNode;
}

export interface NodeChange {
  readonly id: string;
  /** Paths are relative to the node. */
  readonly changes: readonly ValueChange[];
}

export interface EdgeEntry {
  /** Position in `definition.edges` of the version that has it. */
  readonly edge_index: number;
  readonly source: string;
  readonly target: string;
  readonly edge: AuthoredEdge;
}

export interface PairedEdge {
  /** Positions in `definition.edges` of the older and the newer version. */
  readonly from_index: number;
  readonly to_index: number;
  /** As in the newer version. */
  readonly source: string;
  readonly target: string;
}

export interface EdgeChange extends PairedEdge {
  /** Paths are relative to the edge. */
  readonly changes: readonly ValueChange[];
}

/** An edge that the walk now tries earlier or later among the edges of its node. */
export interface EdgeMove extends PairedEdge {
  /** Places among the edges of the node, from 1. */
  readonly before: number;
  readonly after: number;
}
