// Static analysis of a flow (docs/flow-language.md#validation): everything that is knowable without
// running it. The API stores and sends the result as it is, hence its snake case.
import type { FlowModel } from '@parley/flow-engine/define/model';
import { validationCodes, type Severity, type ValidationCode, type ValidationCodeSpec } from './codes.ts';
import { listRequiredVariables } from './rules/data-rules.ts';
import { itemsPerCodeMax, type Finding } from './finding.ts';
import { indexFlow, type ValidationOptions } from './flow-index.ts';
import { isTerminal } from './node-kinds.ts';
import { rules } from './rules/rules.ts';

export interface ValidationItem {
  readonly code: ValidationCode;
  readonly message: string;
  readonly hint: string;
  readonly node_id?: string;
  /** Position in `definition.edges`. */
  readonly edge_index?: number;
  /** JSON pointer (RFC 6901) into the definition. */
  readonly path: string;
  /** Ids of the nodes that show it, in walking order; "…" stands for the middle of a long path. */
  readonly witness?: readonly string[];
}

export interface ValidationStats {
  readonly nodes: number;
  readonly edges: number;
  /** Nodes that a path from the start reaches. */
  readonly reachable: number;
  readonly terminals: number;
  /** Most nodes that one turn can visit; null when a cycle never waits for the caller. */
  readonly max_steps_per_turn: number | null;
}

export interface Validation {
  /** There are no errors. */
  readonly valid: boolean;
  readonly errors: readonly ValidationItem[];
  readonly warnings: readonly ValidationItem[];
  readonly infos: readonly ValidationItem[];
  readonly stats: ValidationStats;
  /** What the caller must bring in `variables`: read somewhere, set nowhere. */
  readonly required_variables: readonly string[];
}

/**
 * Runs every rule. Never throws, on any flow that parses, and takes time in proportion to its nodes
 * and edges.
 */
export function validateFlow(flow: FlowModel, options: ValidationOptions): Validation {
  const index = indexFlow(flow, options);
  const items: Record<Severity, ValidationItem[]> = { error: [], warning: [], info: [] };
  for (const [code, rule] of Object.entries(rules) as [ValidationCode, (typeof rules)[ValidationCode]][]) {
    const spec: ValidationCodeSpec = validationCodes[code];
    const bySeverity: Record<Severity, Finding[]> = { error: [], warning: [], info: [] };
    for (const finding of rule(index)) bySeverity[finding.severity ?? spec.severity].push(finding);
    for (const severity of ['error', 'warning', 'info'] as const)
      items[severity].push(...toItems(flow, code, spec.hint, bySeverity[severity]));
  }
  return {
    valid: items.error.length === 0,
    errors: items.error,
    warnings: items.warning,
    infos: items.info,
    stats: {
      nodes: flow.nodes.length,
      edges: flow.edges.length,
      reachable: index.reachable.reduce((sum, reached) => sum + reached, 0),
      terminals: index.nodes.filter(isTerminal).length,
      max_steps_per_turn: index.longest.steps,
    },
    required_variables: listRequiredVariables(index),
  };
}

function toItems(
  flow: FlowModel,
  code: ValidationCode,
  hint: string,
  findings: readonly Finding[],
): ValidationItem[] {
  const items: ValidationItem[] = findings.slice(0, itemsPerCodeMax).map((finding) => ({
    code,
    message: finding.message,
    hint,
    // An edge may leave a node that does not exist.
    ...(finding.nodeId !== undefined && flow.nodesById.has(finding.nodeId)
      ? { node_id: finding.nodeId }
      : {}),
    ...(finding.edgeIndex === undefined ? {} : { edge_index: finding.edgeIndex }),
    path: finding.path,
    ...(finding.witness === undefined ? {} : { witness: finding.witness }),
  }));
  const more = findings.length - items.length;
  if (more > 0) items.push({ code, message: `${more} more of these are not listed`, hint, path: '' });
  return items;
}
