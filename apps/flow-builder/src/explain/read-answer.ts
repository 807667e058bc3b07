// POST /v1/flows/{flow_id}/read: how a question reads an utterance, word by word. Walks nothing and
// queries no model.
import { AppError } from '@parley/envelopes';
import type { Caller } from '@parley/server/http';
import type { Deps } from '../deps.ts';
import { readUtterance } from '../heavy/explain-jobs.ts';
import { isSmall } from '../heavy/small.rules.ts';
import { selectVersion } from './select-version.ts';
import type { ReadRequest } from './schemas.ts';

type ReadDeps = Pick<Deps, 'sql' | 'clock' | 'config' | 'heavyWork' | 'validationRules'>;

/**
 * @throws AppError not_found, invalid_request, turn_too_costly, limit_exceeded, request_too_costly
 */
export async function readAnswer(deps: ReadDeps, caller: Caller, flowId: string, body: ReadRequest) {
  const looked = await selectVersion(deps, caller, flowId, body);
  const { node_id, utterance, language, timezone, now } = body;
  const variables = {
    ...body.variables,
    ...(language === undefined ? {} : { language }),
    ...(timezone === undefined ? {} : { timezone }),
  };
  const nowMs = now === undefined ? deps.clock() : now * 1000;
  const asked = { ...looked, nodeId: node_id, utterance, variables, nowMs };
  const read = isSmall(asked)
    ? await readUtterance(asked)
    : await deps.heavyWork.run(caller.organizationId, 'read', asked);
  if (read === null)
    throw new AppError('invalid_request', `the flow has no collect node "${node_id}"`, {
      fields: [{ path: '/node_id', message: 'must be the id of a collect node of the version' }],
    });
  if (read.kind === 'turn_too_costly')
    throw new AppError('turn_too_costly', `the answer takes more than ${read.max} ${read.cost}`, {
      details: { cost: read.cost, max: read.max },
    });
  const { kind: _kind, ...explained } = read;
  return { flow_id: flowId, version: looked.version, node_id, ...explained };
}
