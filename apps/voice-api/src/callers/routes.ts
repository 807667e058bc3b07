// The endpoint table of callers.
import { del, get, type Endpoint } from '@parley/server/http';
import type { Deps } from '../conversations/deps.ts';
import { eraseCaller } from './erase-caller.ts';
import { getCaller, listCallers } from './read-callers.ts';
import {
  callerDeletion,
  callerListQuery,
  callerPage,
  callerParams,
  callerView,
  erasedCaller,
} from './schemas.ts';

export function callerEndpoints(deps: Deps): Endpoint[] {
  return [
    get(
      '/callers',
      {
        operationId: 'listCallers',
        summary: 'List callers, the one of the latest conversation first',
        scope: 'read',
        boundKeys: true,
        query: callerListQuery,
        replies: { 200: callerPage },
      },
      ({ caller, query }) => listCallers(deps, caller, query),
    ),
    get(
      '/callers/{caller_id}',
      {
        operationId: 'getCaller',
        summary: 'Get a caller: conversations, first and last, languages, outcomes',
        scope: 'read',
        boundKeys: true,
        params: callerParams,
        replies: { 200: callerView },
        refusals: ['not_found'],
      },
      ({ caller, params }) => getCaller(deps, caller, params.caller_id),
    ),
    del(
      '/callers/{caller_id}',
      {
        operationId: 'eraseCaller',
        summary:
          'Erase all conversations of a caller permanently, with a certificate; dry_run only counts them',
        scope: 'delete',
        boundKeys: true,
        params: callerParams,
        query: callerDeletion,
        replies: { 200: erasedCaller },
      },
      ({ caller, params, query }) => eraseCaller(deps, caller, params.caller_id, query.dry_run === true),
    ),
  ];
}
