// What a rule finds, and functions that locate it.
import type { Condition, EdgeModel, NodeModel } from '@parley/flow-engine/define/model';
import type { Severity } from './codes.ts';

export interface Finding {
  readonly message: string;
  /** JSON pointer (RFC 6901) into the definition. */
  readonly path: string;
  readonly nodeId?: string;
  readonly edgeIndex?: number;
  /** Ids of the nodes that show it, in walking order. */
  readonly witness?: readonly string[];
  /** Present only for the other severity of a code with two. */
  readonly severity?: Severity;
}

/** Items of one code; one more item counts the rest. Every version stores its validation. */
export const itemsPerCodeMax = 100;

/** Steps of a JSON pointer, unescaped. */
type Steps = readonly (string | number)[];

/** Places a finding at a node, or at a member of it. */
export function atNode(node: NodeModel, message: string, ...member: Steps): Finding {
  return { message, path: pointer('nodes', node.index, ...member), nodeId: node.id };
}

/** Places a finding at an edge, or at a member of it; its node is the source of the edge. */
export function atEdge(edge: EdgeModel, message: string, ...member: Steps): Finding {
  const path = pointer('edges', edge.index, ...member);
  return { message, path, nodeId: edge.source, edgeIndex: edge.index };
}

/** Places a finding at a comparison of an edge, or at a member of it. */
export const atComparison = (
  edge: EdgeModel,
  { at }: Condition,
  message: string,
  ...member: Steps
): Finding => atEdge(edge, message, ...at, ...member);

export function pointer(...steps: Steps): string {
  return steps.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** Characters of an authored text in a message. */
const shownCharsMax = 60;

/** An authored text in a message: quoted, on one line, and truncated. */
export function quoted(text: string): string {
  const short = text.length > shownCharsMax ? `${text.slice(0, shownCharsMax)}…` : text;
  return `"${short.replaceAll(/\s+/g, ' ')}"`;
}

/** An authored value in a message. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) {
    const elements = value.slice(0, shownElementsMax).map((element) => shownScalar(element));
    return `[${elements.join(', ')}${value.length > elements.length ? ', …' : ''}]`;
  }
  return shownScalar(value);
}

const shownElementsMax = 5;

function shownScalar(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return '[…]';
  return typeof value === 'object' && value !== null ? '{…}' : String(value);
}
