// The endpoint table of the analytics.
import { get, type Endpoint } from '@parley/http';
import type { Deps } from '../deps.ts';
import { readPerformance } from './read-performance.ts';
import { readUsage } from './read-usage.ts';
import { analyticsQuery, performanceAnswer, usageAnswer } from './schemas.ts';

export function analyticsEndpoints(deps: Deps): Endpoint[] {
  return [
    get(
      '/analytics/usage',
      {
        operationId: 'getUsage',
        summary:
          'Usage by hour, day, week or month: conversations, minutes, turns, callers, webhook deliveries, API requests',
        scope: 'read',
        query: analyticsQuery,
        replies: { 200: usageAnswer },
        refusals: ['unprocessable'],
      },
      ({ caller, query }) => readUsage(deps, caller, query),
    ),
    get(
      '/analytics/performance',
      {
        operationId: 'getPerformance',
        summary: 'Performance by hour, day, week or month: rates, durations, latencies, webhook outcomes',
        scope: 'read',
        query: analyticsQuery,
        replies: { 200: performanceAnswer },
        refusals: ['unprocessable'],
      },
      ({ caller, query }) => readPerformance(deps, caller, query),
    ),
  ];
}
