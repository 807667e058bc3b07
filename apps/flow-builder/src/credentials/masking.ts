// A definition without the credentials in it. Shared by the thread, so it imports nothing that opens a connection.
import { isSecretReference } from '@parley/outbound';

/** Members of a node, and of the run spec that an autonomous one becomes, that have headers. */
const WITH_HEADERS = ['headers', 'tool_dispatch', 'mcp'];

export interface Shown {
  definition<Document>(document: Document): Document;
  actions<Actions extends readonly object[]>(actions: Actions): Actions;
}

/** For one answer: equal values have equal masks in it, so that a diff still tells what changed. */
export function masking(): Shown {
  const masks = new Map<unknown, string>();

  function maskOf(value: unknown): string {
    const mask = masks.get(value) ?? `[hidden ${masks.size + 1}]`;
    masks.set(value, mask);
    return mask;
  }

  function masked(value: unknown, inHeaders: boolean): unknown {
    if (value === null) return null;
    if (Array.isArray(value)) return value.map((item) => masked(item, inHeaders));
    if (typeof value !== 'object') return inHeaders && !isSecretReference(value) ? maskOf(value) : value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        name,
        masked(member, inHeaders || name.toLowerCase() === 'headers'),
      ]),
    );
  }

  /** Of a node or an action. */
  function without(holder: unknown): unknown {
    const copy: Record<string, unknown> = { ...(holder as object) };
    for (const name of WITH_HEADERS)
      if (copy[name] !== undefined) copy[name] = masked(copy[name], name === 'headers');
    return copy;
  }

  return {
    definition: <Document>(document: Document) => ({
      ...document,
      nodes: (document as { nodes: unknown[] }).nodes.map(without),
    }),
    actions: (actions) => actions.map(without) as never,
  };
}
