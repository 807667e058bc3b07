// How a flow begins: with two nodes, as a copy of an example, or from a definition that somebody has.
import type { AuthoredFlow } from '@parley/flow-engine';
import { sharedEngine } from '../../engine/client.ts';
import { createFlow } from '../api.ts';
import { isDrawable } from '../document/doc.ts';
import { keepDraft } from '../document/drafts.ts';

/** The smallest flow that says something and ends. */
export const smallest = (name: string): AuthoredFlow => ({
  name,
  start: 'start',
  nodes: [
    { id: 'start', type: 'message', text: 'Hello.' },
    { id: 'end', type: 'end' },
  ],
  edges: [{ source: 'start', target: 'end' }],
});

const ID_CHARACTERS_MAX = 128;

/** A name as an id: lower case, words joined by hyphens. */
export function idFrom(name: string): string {
  return name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9_.:-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, ID_CHARACTERS_MAX);
}

/** The definition in a pasted text: itself, or a file of the examples that carries one. A string says why there is none. */
export function readDefinition(text: string): { name: string | null; definition: AuthoredFlow } | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'This is not JSON.';
  }
  const carried = (value as { definition?: unknown } | null)?.definition;
  const definition = isDrawable(value) ? value : carried;
  if (!isDrawable(definition))
    return 'A definition has nodes with ids, and edges with a source and a target.';
  const name = [(value as { name?: unknown }).name, definition.name].find((one) => typeof one === 'string');
  return { name: typeof name === 'string' ? name : null, definition };
}

/**
 * Creates a flow and answers with its id. The flow builder takes no new flow with errors: such a definition waits on the page of the
 * flow as a draft that is not saved, where its problems are shown.
 */
export async function startFlow(
  organization: string,
  flowId: string,
  name: string,
  definition: AuthoredFlow,
): Promise<string> {
  const { findings } = await sharedEngine().read(definition);
  const isSound = findings.every(({ severity }) => severity !== 'error');
  const flow = await createFlow({
    flow_id: flowId,
    name,
    definition: isSound ? definition : smallest(name),
  });
  if (!isSound)
    await keepDraft(organization, {
      flowId: flow.flow_id,
      definition,
      baseVersion: flow.version,
      changedAt: Date.now(),
    });
  return flow.flow_id;
}
