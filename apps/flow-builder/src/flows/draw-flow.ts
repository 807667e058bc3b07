// GET /v1/flows/{flow_id}/diagram: a picture of a stored version, as Mermaid, DOT or SVG.
import { AppError } from '@parley/envelopes';
import { Reply, type Caller } from '@parley/http';
import type { z } from 'zod';
import type { Deps } from '../deps.ts';
import { parseDefinition } from '../heavy/heavy-jobs.ts';
import { dotOf, mermaidOf } from './diagram.rules.ts';
import type { diagramQuery } from './schemas.ts';
import { getHead, getVersion } from './version-ledger.ts';

/** Layout is more than linear in the graph and runs in a thread; beyond this draw the DOT yourself. */
const SVG_NODES_MAX = 200;
const SVG_EDGES_MAX = 400;

const contentTypes = {
  mermaid: 'text/vnd.mermaid; charset=utf-8',
  dot: 'text/vnd.graphviz; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
} as const;

/** @throws AppError not_found, limit_exceeded (a flow too large for svg) */
export async function drawFlow(
  deps: Pick<Deps, 'sql' | 'heavyWork'>,
  caller: Caller,
  flowId: string,
  { format, version }: z.output<typeof diagramQuery>,
): Promise<Reply> {
  const key = { organizationId: caller.organizationId, flowId };
  const head = await getHead(deps.sql, key);
  const stored = await getVersion(deps.sql, key, version ?? head.latestVersion);
  const flow = parseDefinition(stored.definition);
  if (format === 'svg' && (flow.nodes.length > SVG_NODES_MAX || flow.edges.length > SVG_EDGES_MAX)) {
    const limit = `${SVG_NODES_MAX} nodes and ${SVG_EDGES_MAX} edges`;
    throw new AppError(
      'limit_exceeded',
      `svg is drawn for flows of at most ${limit}; ask for dot or mermaid`,
    );
  }
  const draw = {
    mermaid: async () => mermaidOf(flow),
    dot: async () => dotOf(flow),
    svg: async () => deps.heavyWork.run(caller.organizationId, 'svg', { dot: dotOf(flow) }),
  };
  return new Reply(await draw[format](), { headers: { 'content-type': contentTypes[format] } });
}
