// The endpoint table of the analytics.
import { get, type Endpoint } from '@parley/server/http';
import type { Deps } from './deps.ts';
import { listAnswerLines, listFigureLines, listStepLines, replyInForm } from './figures-csv.ts';
import { readFlowAnswers } from './flow-answers.ts';
import { readFlowSteps } from './flow-steps.ts';
import { NO_PERFORMANCE, readPerformance } from './read-performance.ts';
import { NO_USAGE, readUsage } from './read-usage.ts';
import {
  analyticsQuery,
  flowAnswers,
  flowAnswersQuery,
  flowSteps,
  flowStepsQuery,
  performanceAnswer,
  usageAnswer,
} from './schemas.ts';

/** Figures are also available as CSV. */
const FORMS = { alternatives: ['text/csv'], sends: ['Content-Disposition'] } as const;

const toForm = (
  { format }: { readonly format?: 'json' | 'csv' | undefined },
  header: (name: string) => string | undefined,
) => ({ format, accept: header('accept') });

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
        ...FORMS,
        replies: { 200: usageAnswer },
        refusals: ['unprocessable', 'bot_not_of_key'],
      },
      async ({ caller, query, header }) =>
        replyInForm(await readUsage(deps, caller, query), toForm(query, header), 'usage', (usage) =>
          listFigureLines(usage, NO_USAGE),
        ),
    ),
    get(
      '/analytics/performance',
      {
        operationId: 'getPerformance',
        summary: 'Get performance by hour, day, week or month: rates, durations, latencies, webhook outcomes',
        scope: 'read',
        boundKeys: true,
        query: analyticsQuery,
        ...FORMS,
        replies: { 200: performanceAnswer },
        refusals: ['unprocessable', 'bot_not_of_key'],
      },
      async ({ caller, query, header }) =>
        replyInForm(
          await readPerformance(deps, caller, query),
          toForm(query, header),
          'performance',
          (performance) => listFigureLines(performance, NO_PERFORMANCE),
        ),
    ),
    get(
      '/analytics/flow-steps',
      {
        operationId: 'getFlowSteps',
        summary: 'Count turns by node and edge of a flow version, and where callers left',
        scope: 'read',
        query: flowStepsQuery,
        ...FORMS,
        replies: { 200: flowSteps },
      },
      async ({ caller, query, header }) =>
        replyInForm(
          await readFlowSteps(deps, caller, query),
          toForm(query, header),
          'flow-steps',
          listStepLines,
        ),
    ),
    get(
      '/analytics/flow-answers',
      {
        operationId: 'getFlowAnswers',
        summary:
          'How often each question of a version of a flow understood its callers, and the words it refused',
        scope: 'read',
        query: flowAnswersQuery,
        ...FORMS,
        replies: { 200: flowAnswers },
      },
      async ({ caller, query, header }) =>
        replyInForm(
          await readFlowAnswers(deps, caller, query),
          toForm(query, header),
          'flow-answers',
          listAnswerLines,
        ),
    ),
  ];
}
