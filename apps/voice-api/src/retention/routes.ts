// The endpoint table of retention.
import { get, put, type Endpoint } from '@parley/server/http';
import type { Deps } from './deps.ts';
import { getRetention, setRetention } from './manage-rules.ts';
import { botParams, retention, retentionChange } from './schemas.ts';

export function retentionEndpoints(deps: Deps): Endpoint[] {
  return [
    get(
      '/retention',
      {
        operationId: 'getRetention',
        summary: 'Get how long parts of conversations are stored, and why',
        scope: 'read',
        replies: { 200: retention },
      },
      ({ caller }) => getRetention(deps, caller, null),
    ),
    put(
      '/retention',
      {
        operationId: 'setRetention',
        summary: 'Set how long parts of conversations are stored; older ones are removed permanently',
        scope: 'admin',
        body: retentionChange,
        replies: { 200: retention },
      },
      ({ caller, body }) => setRetention(deps, caller, null, body),
    ),
    get(
      '/bots/{bot_id}/retention',
      {
        operationId: 'getBotRetention',
        summary: 'Get how long parts of the conversations of a bot are stored, and why',
        scope: 'read',
        params: botParams,
        replies: { 200: retention },
        refusals: ['not_found'],
      },
      ({ caller, params }) => getRetention(deps, caller, params.bot_id),
    ),
    put(
      '/bots/{bot_id}/retention',
      {
        operationId: 'setBotRetention',
        summary:
          'Set how long parts of the conversations of a bot are stored; older ones are removed permanently',
        scope: 'admin',
        params: botParams,
        body: retentionChange,
        replies: { 200: retention },
        refusals: ['not_found'],
      },
      ({ caller, params, body }) => setRetention(deps, caller, params.bot_id, body),
    ),
  ];
}
