// Keeps credentials away from the model: it gets masks in their place, and they return to a
// proposal only where the address that they are sent to is the same.
import type { AuthoredFlow } from '@parley/flow-engine';
import { createMask } from '../credentials/mask.ts';

type Members = Readonly<Record<string, unknown>>;

const MASK = /^\[hidden \d+\]$/;

/** One mask for one request: the restored values are those of its draft. */
export function hideHeaders(draft: AuthoredFlow) {
  const masked = createMask().definition(draft);
  const byId = new Map(draft.nodes.map((node, index) => [node.id, { node, masked: masked.nodes[index]! }]));
  return {
    masked,
    /** `left` are the ids of nodes with masks that stand for nothing. */
    restore(proposed: AuthoredFlow): { readonly definition: AuthoredFlow; readonly left: readonly string[] } {
      const left: string[] = [];
      const nodes = proposed.nodes.map((node) => {
        const known = byId.get(node.id);
        const restored = known ? restoreIn(node, known.masked, known.node) : node;
        if (hasMask(restored)) left.push(node.id);
        return restored as typeof node;
      });
      return { definition: { ...proposed, nodes }, left };
    },
  };
}

/** Members with another `url` get nothing back. */
function restoreIn(proposed: unknown, masked: unknown, original: unknown): unknown {
  if (proposed === masked) return original;
  if (!isObject(proposed) || !isObject(masked) || !isObject(original)) return proposed;
  if (proposed['url'] !== original['url']) return proposed;
  const restored = Object.entries(proposed).map(([name, value]) => [
    name,
    restoreIn(value, masked[name], original[name]),
  ]);
  return Array.isArray(proposed) ? restored.map(([, value]) => value) : Object.fromEntries(restored);
}

function hasMask(value: unknown): boolean {
  if (typeof value === 'string') return MASK.test(value);
  return isObject(value) && Object.values(value).some(hasMask);
}

const isObject = (value: unknown): value is Members => typeof value === 'object' && value !== null;
