// GET /v1/flows/{flow_id}/diagram: a picture of a stored version, as Mermaid, DOT or SVG.
import { Reply, type Caller } from '@parley/http';
import type { z } from 'zod';
import type { Deps } from '../deps.ts';
import { heavyJobs } from '../heavy/heavy-jobs.ts';
import { isSmall } from '../heavy/small.rules.ts';
import type { diagramQuery } from './schemas.ts';
import { getHead, getVersion } from './version-ledger.ts';

const contentTypes = {
  mermaid: 'text/vnd.mermaid; charset=utf-8',
  dot: 'text/vnd.graphviz; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
} as const;

/** @throws AppError not_found, limit_exceeded (a flow too large for svg), request_too_costly */
export async function drawFlow(
  deps: Pick<Deps, 'sql' | 'heavyWork'>,
  caller: Caller,
  flowId: string,
  { format, version }: z.output<typeof diagramQuery>,
): Promise<Reply> {
  const key = { organizationId: caller.organizationId, flowId };
  const head = await getHead(deps.sql, key);
  const drawn = await getVersion(deps.sql, key, version ?? head.latestVersion);
  const input = { definition: drawn.expanded ?? drawn.definition, stored: true, format };
  // A layout takes long also for a small flow.
  const diagram =
    format !== 'svg' && isSmall(input.definition)
      ? await heavyJobs.draw(input)
      : await deps.heavyWork.run(caller.organizationId, 'draw', input);
  return new Reply(diagram, { headers: { 'content-type': contentTypes[format] } });
}
