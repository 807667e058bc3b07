// GET and POST /v1/flows/{flow_id}/diagram: a picture of a stored version, or of a definition that is sent, as Mermaid, DOT or SVG.
import { Reply, type Caller } from '@parley/server/http';
import type { z } from 'zod';
import type { Deps } from '../deps.ts';
import { heavyJobs } from '../heavy/heavy-jobs.ts';
import { isSmall } from '../heavy/small.rules.ts';
import { storedPlayable } from '../conversations/played-version.ts';
import type { diagramRequest } from './schemas.ts';
import { storedTextOf } from '../versions/version-ledger.ts';

const contentTypes = {
  mermaid: 'text/vnd.mermaid; charset=utf-8',
  dot: 'text/vnd.graphviz; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
} as const;

/**
 * With a definition the flow need not exist; without one the stored latest, or `version`, is drawn.
 * @throws AppError not_found, invalid_request, limit_exceeded (a flow too large for svg), request_too_costly
 */
export async function drawFlow(
  deps: Pick<Deps, 'sql' | 'heavyWork'>,
  caller: Caller,
  flowId: string,
  { format, version, definition: sent }: z.output<typeof diagramRequest>,
): Promise<Reply> {
  const drawn = sent
    ? { definition: sent }
    : storedPlayable(await storedTextOf(deps, caller, flowId, version));
  // A layout takes long also for a small flow.
  const diagram =
    format !== 'svg' && isSmall(drawn)
      ? await heavyJobs.draw({ ...drawn, format })
      : await deps.heavyWork.run(caller.organizationId, 'draw', { ...drawn, format });
  const headers = { 'content-type': contentTypes[format], 'content-disposition': 'attachment' };
  return new Reply(diagram, { headers });
}
