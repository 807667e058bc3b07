// The endpoint table of the analytics.
import { get, type Endpoint } from '@parley/server/http';
import type { Deps } from './deps.ts';
import { readFlowAnswers } from './flow-answers.ts';
import { readFlowSteps } from './flow-steps.ts';
import { readPerformance } from './read-performance.ts';
import { readUsage } from './read-usage.ts';
import {
  analyticsQuery,
  flowAnswers,
  flowAnswersQuery,
  flowSteps,
  flowStepsQuery,
  performanceAnswer,
  usageAnswer,
} from './schemas.ts';

export function analyticsEndpoints(deps: Deps): Endpoint[] {
  return [
    get(
      '/analytics/usage',
      {
        operationId: 'getUsage',
        summary:
          'Get usage by hour, day, week or month: conversations, minutes, turns, callers, webhook deliveries, API requests',
        scope: 'read',
        boundKeys: true,
        query: analyticsQuery,
        replies: { 200: usageAnswer },
        refusals: ['unprocessable', 'bot_not_of_key'],
      },
      ({ caller, query }) => readUsage(deps, caller, query),
    ),
    get(
      '/analytics/performance',
      {
        operationId: 'getPerformance',
        summary: 'Get performance by hour, day, week or month: rates, durations, latencies, webhook outcomes',
        scope: 'read',
        boundKeys: true,
        query: analyticsQuery,
        replies: { 200: performanceAnswer },
        refusals: ['unprocessable', 'bot_not_of_key'],
      },
      ({ caller, query }) => readPerformance(deps, caller, query),
    ),
    get(
      '/analytics/flow-steps',
      {
        operationId: 'getFlowSteps',
        summary: 'Count turns by node and edge of a flow version, and where callers left',
        scope: 'read',
        query: flowStepsQuery,
        replies: { 200: flowSteps },
      },
      ({ caller, query }) => readFlowSteps(deps, caller, query),
    ),
    get(
      '/analytics/flow-answers',
      {
        operationId: 'getFlowAnswers',
        summary:
          'How often each question of a version of a flow understood its callers, and the words it refused',
        scope: 'read',
        query: flowAnswersQuery,
        replies: { 200: flowAnswers },
      },
      ({ caller, query }) => readFlowAnswers(deps, caller, query),
    ),
  ];
}
