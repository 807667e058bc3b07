// Checks a definition for the canvas, the inspector and the problems list.
import {
  validateExpansion,
  type Expansion,
  type Severity,
  type ValidationItem,
  type ValidationStats,
} from '@parley/flow-analysis';
import { limits, parseFlow, type EdgeKind, type NodeType, type ParsedFlow } from '@parley/flow-engine';
import { expanded, ownNode, type Called } from './called.ts';
import { edgeWords } from './condition-words.ts';

export interface Finding {
  readonly severity: Severity;
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  /** JSON pointer into the definition. */
  readonly path: string;
  readonly nodeId: string | null;
  readonly edgeIndex: number | null;
  /** Node ids in walking order; "…" replaces the middle of a long path. */
  readonly witness: readonly string[];
}

export interface EdgeSketch {
  readonly kind: EdgeKind;
  /** The condition in words, with backticks around values; empty if none. */
  readonly says: string;
}

export interface Checked {
  readonly findings: readonly Finding[];
  /** Canonical types by node index; null = unknown type. Empty for an invalid definition. */
  readonly types: readonly (NodeType | null)[];
  /** By edge index. */
  readonly edges: readonly EdgeSketch[];
  readonly startId: string | null;
  /** Null for an invalid definition or one beyond a limit. */
  readonly stats: ValidationStats | null;
  readonly requiredVariables: readonly string[];
}

export interface CheckedFlow {
  readonly checked: Checked;
  /** The expanded definition; null if invalid. */
  readonly expansion: Expansion | null;
}

/** @param called null: calls stay unexpanded */
export function checkFlow(definition: unknown, called: Called | null): CheckedFlow {
  const parsed = parseFlow(definition);
  if (!parsed.ok) return { checked: refused(definition, parsed), expansion: null };
  const { flow } = parsed;
  const expansion = expanded(flow.definition, called);
  const { errors, warnings, infos, stats, required_variables } = validateExpansion(
    flow.definition,
    expansion,
    { stepsMax: limits.stepsMax },
  );
  return {
    expansion,
    checked: {
      findings: [
        ...errors.map(toFinding('error')),
        ...warnings.map(toFinding('warning')),
        ...infos.map(toFinding('info')),
      ],
      types: flow.nodes.map(({ type }) => type),
      edges: flow.edges.map((edge) => ({ kind: edge.kind, says: edgeWords(edge) })),
      startId: flow.startId,
      stats,
      requiredVariables: required_variables,
    },
  };
}

/**
 * The nodes of the longest turn, from the finding for a limit of 0 steps, which every turn exceeds.
 */
export function longestTurn(expansion: Expansion): readonly string[] {
  const { errors } = validateExpansion(expansion.definition, expansion, { stepsMax: 0 });
  return errors.find(({ code }) => code === 'bound_exceeds_limit')?.witness?.map(ownNode) ?? [];
}

const toFinding =
  (severity: Severity) =>
  ({ code, message, hint, path, node_id, edge_index, witness }: ValidationItem): Finding => ({
    severity,
    code,
    message,
    hint,
    path,
    nodeId: node_id === undefined ? null : ownNode(node_id),
    edgeIndex: edge_index ?? null,
    witness: (witness ?? []).map(ownNode),
  });

function refused(definition: unknown, { kind, problems }: Extract<ParsedFlow, { ok: false }>): Checked {
  const hint =
    kind === 'limit_exceeded'
      ? 'Reduce it, or split the flow.'
      : 'Correct the member. See the flow reference.';
  return {
    findings: problems.map(({ path, message }) => ({
      severity: 'error' as const,
      code: kind,
      message,
      hint,
      path,
      ...placeOf(definition, path),
      witness: [],
    })),
    types: [],
    edges: [],
    startId: null,
    stats: null,
    requiredVariables: [],
  };
}

/** The node or edge of a JSON pointer. */
function placeOf(definition: unknown, path: string): Pick<Finding, 'nodeId' | 'edgeIndex'> {
  const [, list, position] = path.split('/');
  const index = Number(position);
  if (list === 'edges' && Number.isInteger(index)) return { nodeId: null, edgeIndex: index };
  const nodes = (definition as { nodes?: unknown }).nodes;
  const node: unknown = list === 'nodes' && Array.isArray(nodes) ? nodes[index] : null;
  const id = typeof node === 'object' && node !== null ? (node as { id?: unknown }).id : null;
  return { nodeId: typeof id === 'string' ? id : null, edgeIndex: null };
}
