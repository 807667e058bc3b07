// GET and POST /v1/flows/{flow_id}/diagram: a stored version, or a definition in the request, as
// Mermaid, DOT or SVG.
import { Reply, type Caller } from '@parley/server/http';
import type { z } from 'zod';
import type { Deps } from '../deps.ts';
import { heavyJobs } from '../heavy/heavy-jobs.ts';
import { isSmall } from '../heavy/small.rules.ts';
import { toPlayable } from '../conversations/played-version.ts';
import type { diagramRequest } from './schemas.ts';
import { readVersionText } from '../versions/version-ledger.ts';

const contentTypes = {
  mermaid: 'text/vnd.mermaid; charset=utf-8',
  dot: 'text/vnd.graphviz; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
} as const;

/**
 * Draws the definition of the request, for which no flow need exist, else `version`, else the
 * latest.
 * @throws AppError not_found, invalid_request, limit_exceeded (too large for svg),
 *   request_too_costly
 */
export async function drawFlow(
  deps: Pick<Deps, 'sql' | 'heavyWork'>,
  caller: Caller,
  flowId: string,
  { format, version, definition: sent }: z.output<typeof diagramRequest>,
): Promise<Reply> {
  const drawn = sent
    ? { definition: sent }
    : toPlayable(await readVersionText(deps, caller, flowId, version));
  // Layout is slow even for a small flow.
  const diagram =
    format !== 'svg' && isSmall(drawn)
      ? await heavyJobs.draw({ ...drawn, format })
      : await deps.heavyWork.run(caller.organizationId, 'draw', { ...drawn, format });
  const headers = { 'content-type': contentTypes[format], 'content-disposition': 'attachment' };
  return new Reply(diagram, { headers });
}
