// Creates flows: the smallest one, or from a definition.
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

/** Derives an id from a name: lower case, joined by hyphens. */
export function idFrom(name: string): string {
  return name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9_.:-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, ID_CHARACTERS_MAX);
}

/**
 * Reads a pasted definition, or an object that contains one. Returns a string that says what is
 * wrong.
 */
export function readDefinition(text: string): { name: string | null; definition: AuthoredFlow } | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'The definition must be valid JSON.';
  }
  const carried = (value as { definition?: unknown } | null)?.definition;
  const definition = isDrawable(value) ? value : carried;
  if (!isDrawable(definition))
    return 'A definition needs nodes with ids, and edges with a source and a target.';
  const name = [(value as { name?: unknown }).name, definition.name].find((one) => typeof one === 'string');
  return { name: typeof name === 'string' ? name : null, definition };
}

/**
 * Creates a flow and returns its id. The flow builder refuses new flows with errors, so such a
 * definition becomes an unsaved draft of the smallest flow.
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
