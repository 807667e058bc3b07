// Creates what the use cases work with, once. Nothing connects on import.
import { createPlatform, openQueueSide, type Platform, type QueueSide } from '@parley/platform';
import { createGroupedOutbox, type GroupedOutbox, type OutgoingMessage } from '@parley/jobs';
import type { ValidationOptions } from '@parley/flow-analysis';
import { limits, type TurnResult } from '@parley/flow-engine';
import type { Metrics } from '@parley/metrics';
import { createOutbound, outboundPolicy, type Outbound } from '@parley/outbound';
import type { ServiceStart } from '@parley/server/runtime';
import type { Config } from './config.ts';
import { createOrganizationGateways, type OrganizationGateways } from './gateways/organization-gateways.ts';
import { createHeavyWork, type HeavyWork } from './heavy/heavy-work.ts';
import { provideLanguages } from './languages.ts';
import { createRunnableFlows, type RunnableFlows } from './versions/runnable-flows.ts';

export interface Deps extends Platform<Config>, QueueSide {
  /** Compiled versions and publish pointers in memory: a warm turn reads no store. */
  readonly runnableFlows: RunnableFlows;
  /** Sends reports of turns to other services, many rows in one statement. */
  readonly reports: GroupedOutbox;
  /** Options of validation that depend on this installation; `find` adds the organisation's. */
  readonly validationRules: ValidationRules;
  /** Runs work on threads that would block other requests. */
  readonly heavyWork: HeavyWork;
  /** The models that a turn may query, by organisation. */
  readonly gateways: OrganizationGateways;
  /** Checks addresses of customers. */
  readonly outbound: Pick<Outbound, 'checkUrl'>;
  /** Counts a turn by its status, and its branches by how they were decided. */
  readonly countTurn: (result: TurnResult) => void;
}

export interface ValidationRules extends ValidationOptions {
  find(organizationId: string): Promise<Pick<ValidationOptions, 'hasExtractor' | 'models'>>;
}

export async function createDeps(starting: ServiceStart<Config>): Promise<Deps> {
  provideLanguages();
  const platform = await createPlatform(
    {
      name: 'flow-builder',
      product: 'fb',
      counted: { flows: 'flows WHERE organization_id = $1' },
      stored: ['flow_versions', 'flow_tests'],
    },
    starting,
  );
  const outbound = createOutbound({
    policy: outboundPolicy(platform.config),
    log: platform.log,
    headerSecrets: { secrets: platform.secrets, place: platform.config.FLOW_SECRETS },
  });
  starting.life.onStop('outbound', () => outbound.close());
  const gateways = createOrganizationGateways({
    ...platform,
    outbound,
    dispatch: outbound.request,
    onRefused: () =>
      platform.alertOperators({
        kind: 'provider_refused',
        subject: 'GATEWAY_URL',
        message:
          'The provider of the models refuses GATEWAY_KEY (401 or 403): branches take their default edge, agents fail. Give it a valid key.',
      }),
  });
  starting.life.onStop('gateways', () => gateways.close());
  const queueSide = openQueueSide(platform, 'flow-builder', starting.life);
  const reports = createGroupedOutbox({
    pool: platform.pool,
    outbox: queueSide.outbox,
    dropped: createReportDropper(platform),
  });
  starting.life.onStop('turn reports', () => reports.close());
  const heavyWork = createHeavyWork();
  starting.life.onStop('heavy work', () => heavyWork.close());
  return {
    ...platform,
    ...queueSide,
    heavyWork,
    reports,
    runnableFlows: createRunnableFlows(platform),
    gateways,
    outbound,
    validationRules: {
      stepsMax: limits.stepsMax,
      allowsUrl: (url) => outbound.checkUrl(url.href).ok,
      find: async (organizationId) => {
        const { extractor, usable } = await gateways.get(organizationId);
        return { hasExtractor: extractor !== null, models: [...usable] };
      },
    },
    countTurn: createTurnCounter(platform.metrics),
  };
}

/**
 * A report that can never be sent fails no turn: the service logs, counts and drops it
 * (docs/flow-language.md#what-a-turn-tells-others).
 */
function createReportDropper({ metrics, log }: Pick<Platform<Config>, 'metrics' | 'log'>) {
  const dropped = metrics.counter(
    'flow_reports_dropped_total',
    'Reports of turns that could never be sent, by contract',
    ['contract'],
  );
  return ({ contract, organizationId, trace }: OutgoingMessage, why: unknown): void => {
    dropped.inc({ contract });
    const facts = { contract, organization_id: organizationId, request_id: trace?.requestId };
    log.error({ ...facts, err: why }, 'turn.report_dropped');
  };
}

function createTurnCounter(metrics: Metrics): Deps['countTurn'] {
  const turns = metrics.counter('flow_turns_total', 'Executed turns by the status they ended with', [
    'status',
  ]);
  const steps = metrics.counter('flow_steps_total', 'Nodes visited by executed turns', []);
  const branches = metrics.counter(
    'flow_classifier_total',
    'Natural-language branches by how they were decided',
    ['outcome'],
  );
  const saved = metrics.counter(
    'flow_classifier_calls_saved_total',
    'Natural-language branches that examples decided, so that no model was called',
    ['by'],
  );
  // Finding a labelled child costs more than incrementing it.
  const byStatus = new Map<string, { inc(): void }>();
  const statusCounter = (status: string) => {
    const counter = byStatus.get(status) ?? turns.labels({ status });
    byStatus.set(status, counter);
    return counter;
  };
  return (result) => {
    statusCounter(result.status).inc();
    steps.inc(result.steps);
    for (const question of result.questions) {
      if (question.kind !== 'classify') continue;
      branches.inc({ outcome: question.outcome });
      if (question.savedBy !== undefined) saved.inc({ by: question.savedBy });
    }
  };
}
