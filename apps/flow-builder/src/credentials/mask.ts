// Replaces credentials in definitions by masks. Threads load this file, so it imports nothing that
// opens a connection.
import { isSecretReference } from '@parley/outbound';

/** Members with headers, of a node and of the run spec of an autonomous node. */
const WITH_HEADERS = ['headers', 'tool_dispatch', 'mcp'];

export interface CredentialMask {
  definition<Document>(document: Document): Document;
  actions<Actions extends readonly object[]>(actions: Actions): Actions;
}

/** For one response: equal values have equal masks in it, so a diff still shows changes. */
export function createMask(): CredentialMask {
  const masks = new Map<unknown, string>();

  function getMask(value: unknown): string {
    const mask = masks.get(value) ?? `[hidden ${masks.size + 1}]`;
    masks.set(value, mask);
    return mask;
  }

  function maskValue(value: unknown, inHeaders: boolean): unknown {
    if (value === null) return null;
    if (Array.isArray(value)) return value.map((item) => maskValue(item, inHeaders));
    if (typeof value !== 'object') return inHeaders && !isSecretReference(value) ? getMask(value) : value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        name,
        maskValue(member, inHeaders || name.toLowerCase() === 'headers'),
      ]),
    );
  }

  /** A node or an action. */
  function maskHolder(holder: unknown): unknown {
    const copy: Record<string, unknown> = { ...(holder as object) };
    for (const name of WITH_HEADERS)
      if (copy[name] !== undefined) copy[name] = maskValue(copy[name], name === 'headers');
    return copy;
  }

  return {
    definition: <Document>(document: Document) => ({
      ...document,
      nodes: (document as { nodes: unknown[] }).nodes.map(maskHolder),
    }),
    actions: (actions) => actions.map(maskHolder) as never,
  };
}
