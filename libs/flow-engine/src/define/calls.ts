// `call` of a branch node (docs/flow-language.md#calls): names another flow of the organisation.
// Saving a version replaces the call with that flow's nodes.
import { isMembers } from './conditions.ts';
import type { AuthoredFlow, AuthoredNode } from './definition.ts';
import { limits } from './limits.ts';
import { resolveNodeType } from './node-types.ts';

export interface Call {
  readonly flowId: string;
  readonly version: number | 'published';
  readonly input: readonly (readonly [variable: string, template: unknown])[];
  /** Null = every variable comes back. */
  readonly output: readonly string[] | null;
}

/**
 * Returns the call of a node, or why it is malformed, or null. Other node types may use a member of
 * that name for themselves.
 */
export function readCall(raw: AuthoredNode): Call | string | null {
  const authored = raw['call'];
  if (authored == null || resolveNodeType(raw.type) !== 'branch') return null;
  if (!isMembers(authored)) return '`call` must be an object with `flow_id` and `version`';
  const { flow_id: flowId, version, input, output, ...others } = authored;
  const [other] = Object.keys(others);
  if (other !== undefined) return `\`${other}\` is no member of a call`;
  if (typeof flowId !== 'string' || flowId === '') return '`flow_id` must name a flow';
  if (version !== 'published' && !(Number.isSafeInteger(version) && (version as number) >= 1))
    return '`version` must be a number from 1, or "published"';
  if (input != null && !isMembers(input)) return '`input` must be an object';
  const inputs = Object.entries(input ?? {});
  if (inputs.length > limits.assignmentsMax)
    return `\`input\` has at most ${limits.assignmentsMax} variables`;
  const isNames = Array.isArray(output) && output.every((name) => typeof name === 'string');
  if (output != null && !isNames) return '`output` must be a list of names';
  if (isNames && output.length > limits.assignmentsMax)
    return `\`output\` has at most ${limits.assignmentsMax} variables`;
  return { flowId, version: version as Call['version'], input: inputs, output: isNames ? output : null };
}

/**
 * The flows that a definition calls, without duplicates. The service that stores it loads them.
 * Accepts any JSON document.
 */
export function listCalls(definition: unknown): Pick<Call, 'flowId' | 'version'>[] {
  const nodes = isMembers(definition) ? definition['nodes'] : null;
  const calls = new Map<string, Pick<Call, 'flowId' | 'version'>>();
  for (const node of Array.isArray(nodes) ? (nodes as unknown[]) : []) {
    const call = isMembers(node) && typeof node['type'] === 'string' ? readCall(node as AuthoredNode) : null;
    if (call !== null && typeof call === 'object') calls.set(calledKey(call), call);
    if (calls.size > limits.callsMax) break;
  }
  return [...calls.values()].map(({ flowId, version }) => ({ flowId, version }));
}

export const calledKey = ({ flowId, version }: Pick<Call, 'flowId' | 'version'>): string =>
  JSON.stringify([flowId, version]);

/** A pinned call, stored with the version that makes it. */
export interface PinnedCall {
  /** Of the branch node; of a call inside a call, `outer/inner`. */
  readonly node_id: string;
  readonly flow_id: string;
  readonly version: number;
}

/** A called version with its own calls expanded. */
export interface CalledVersion {
  readonly version: number;
  readonly valid: boolean;
  readonly definition: AuthoredFlow;
  readonly calls: readonly PinnedCall[];
}

/** By calledKey. */
export type CalledVersions = Readonly<Record<string, CalledVersion>>;
