// `call` of a branch node (docs/flow-language.md#calls): another flow of the organisation, whose nodes are put in its place when a
// version is saved.
import { isMembers } from './conditions.ts';
import type { AuthoredFlow, AuthoredNode } from './definition.ts';
import { limits } from './limits.ts';
import { resolveNodeType } from './node-types.ts';

export interface Call {
  readonly flowId: string;
  readonly version: number | 'published';
  readonly input: readonly (readonly [variable: string, template: unknown])[];
  /** null = everything comes back. */
  readonly output: readonly string[] | null;
}

/** What a node calls, or why that cannot be read; null = it calls nothing. Other node types keep a member of that name for themselves. */
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

/** What a definition calls, each once; whoever stores it brings them. Reads a document that may be no definition. */
export function callsIn(definition: unknown): Pick<Call, 'flowId' | 'version'>[] {
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

/** A call as it was pinned: stored with the version that makes it. */
export interface PinnedCall {
  /** Of the branch node; of a call inside a call, `outer/inner`. */
  readonly node_id: string;
  readonly flow_id: string;
  readonly version: number;
}

/** A version that is called, as it runs: its own calls have been expanded. */
export interface CalledVersion {
  readonly version: number;
  readonly valid: boolean;
  readonly definition: AuthoredFlow;
  readonly calls: readonly PinnedCall[];
}

/** By calledKey. */
export type CalledVersions = Readonly<Record<string, CalledVersion>>;
