// The Grafana dashboard of each service, as a table of panels.
// k8s/observability/dashboard-<service>.json is made from it; a test fails when a file is stale,
// and when a panel asks for a metric that the service does not have.
import type { ServiceName } from '@parley/server/runtime';

export interface Panel {
  readonly title: string;
  /** Grafana's unit: reqps, s, percentunit, short … */
  readonly unit: string;
  readonly queries: readonly (readonly [expr: string, legend: string])[];
  readonly note?: string;
}

const selector = (service: ServiceName, more = '') =>
  `{service="${service}"${more === '' ? '' : `, ${more}`}}`;

/** What every service has. */
function shared(service: ServiceName): Panel[] {
  const of = (more = '') => selector(service, more);
  const quantile = (q: string) =>
    `histogram_quantile(${q}, sum by (le) (rate(http_request_duration_seconds_bucket${of('route!~".*stream"')}[$__rate_interval])))`;
  return [
    {
      title: 'Requests by status',
      unit: 'reqps',
      queries: [
        [
          `sum by (status) (rate(http_request_duration_seconds_count${of()}[$__rate_interval]))`,
          '{{status}}',
        ],
      ],
    },
    {
      title: 'Time of a request',
      unit: 's',
      note: 'Streams left out.',
      queries: [
        [quantile('0.5'), 'p50'],
        [quantile('0.95'), 'p95'],
        [quantile('0.99'), 'p99'],
      ],
    },
    {
      title: 'Busiest routes',
      unit: 'reqps',
      queries: [
        [
          `topk(10, sum by (method, route) (rate(http_request_duration_seconds_count${of()}[$__rate_interval])))`,
          '{{method}} {{route}}',
        ],
      ],
    },
    {
      title: 'Requests refused by a limit',
      unit: 'ops',
      queries: [
        [
          `sum by (limit, reason) (rate(limits_refused_total${of()}[$__rate_interval]))`,
          '{{limit}} {{reason}}',
        ],
        [`max(limits_degraded${of()})`, 'degraded'],
      ],
    },
    {
      title: 'Keys of the identity provider fetched',
      unit: 'ops',
      queries: [
        [`sum by (outcome) (rate(identity_key_fetches_total${of()}[$__rate_interval]))`, '{{outcome}}'],
      ],
    },
    {
      title: 'Age of the oldest waiting job',
      unit: 's',
      note: 'What the workers scale on.',
      queries: [[`max by (queue) (queue_age_seconds${of()})`, '{{queue}}']],
    },
    {
      title: 'Jobs by state',
      unit: 'short',
      queries: [[`max by (queue, state) (queue_jobs${of()})`, '{{queue}} {{state}}']],
    },
    {
      title: 'Workers that were stuck and replaced',
      unit: 'short',
      queries: [[`sum by (queue) (increase(worker_restarts_total${of()}[5m]))`, '{{queue}}']],
    },
    {
      title: 'Jobs done',
      unit: 'ops',
      queries: [
        [
          `sum by (queue, outcome) (rate(job_duration_seconds_count${of()}[$__rate_interval]))`,
          '{{queue}} {{outcome}}',
        ],
      ],
    },
    {
      title: 'Messages that no consumer has acknowledged',
      unit: 'short',
      queries: [[`max by (state) (outbox_messages${of()})`, '{{state}}']],
    },
    {
      title: 'Rows set aside because workers died with them',
      unit: 'short',
      queries: [[`max by (table) (quarantined_rows${of()})`, '{{table}}']],
    },
    {
      title: 'Clock of the machine, ahead of the database',
      unit: 's',
      queries: [[`max(abs(clock_ahead_seconds${of()}))`, 'worst replica']],
    },
    {
      title: 'Keys that stored values need and DATA_KEY lacks',
      unit: 'short',
      queries: [[`max(data_keys_missing${of()})`, 'keys']],
    },
    {
      title: 'Entries that the journal lacks',
      unit: 'short',
      queries: [[`max(journal_unflushed_entries${of()})`, 'entries']],
    },
    {
      title: 'Statements that a full Postgres, and jobs that Redis refused',
      unit: 'short',
      queries: [
        [`sum(increase(database_refused_writes${of()}[$__rate_interval]))`, 'Postgres'],
        [`sum(increase(queue_rings_total${of('outcome="refused"')}[$__rate_interval]))`, 'Redis'],
      ],
    },
    {
      title: 'Metrics that could not be read, and secrets from memory',
      unit: 'short',
      queries: [
        [`sum by (metric) (increase(metrics_collect_failures_total${of()}[15m]))`, '{{metric}}'],
        [`sum(increase(secrets_stale_total${of()}[15m]))`, 'secrets'],
      ],
    },
    {
      title: 'Alerts that are not resolved',
      unit: 'short',
      queries: [[`max by (kind) (alerts_unresolved${of()})`, '{{kind}}']],
    },
    {
      title: 'Connections to Postgres',
      unit: 'short',
      queries: [[`sum by (state) (database_pool_connections${of()})`, '{{state}}']],
    },
    {
      title: 'Event loop lag, p99 of the worst replica',
      unit: 's',
      queries: [[`max(nodejs_eventloop_lag_p99_seconds${of()})`, 'lag']],
    },
    {
      title: 'CPU and memory of the worst replica',
      unit: 'short',
      queries: [
        [`max(rate(process_cpu_seconds_total${of()}[$__rate_interval]))`, 'cores'],
        [`max(process_resident_memory_bytes${of()}) / 1024 / 1024`, 'MiB'],
      ],
    },
  ];
}

/** What is a service's own, above what they share. */
const OWN: Readonly<Record<ServiceName, readonly Panel[]>> = {
  'flow-builder': [
    {
      title: 'Turns',
      unit: 'ops',
      queries: [['sum by (status) (rate(flow_turns_total[$__rate_interval]))', '{{status}}']],
    },
    {
      title: 'Branches in natural language, by how they were decided',
      unit: 'ops',
      queries: [
        ['sum by (outcome) (rate(flow_classifier_total[$__rate_interval]))', '{{outcome}}'],
        [
          'sum by (by) (rate(flow_classifier_calls_saved_total[$__rate_interval]))',
          'without a model: {{by}}',
        ],
      ],
    },
    {
      title: 'Model calls without a usable answer, by reason',
      unit: 'ops',
      queries: [
        ['sum by (use, reason) (rate(gateway_failures_total[$__rate_interval]))', '{{use}} {{reason}}'],
      ],
    },
    {
      title: 'Tokens of models, as their provider counts them',
      unit: 'short',
      queries: [
        [
          'sum by (use, direction) (increase(gateway_tokens_total[$__rate_interval]))',
          '{{use}} {{direction}}',
        ],
      ],
    },
    {
      title: 'Reports of turns that could never be sent',
      unit: 'ops',
      queries: [['sum by (contract) (rate(flow_reports_dropped_total[$__rate_interval]))', '{{contract}}']],
    },
    {
      title: 'Calls of the model gateway, p95',
      unit: 's',
      queries: [
        [
          'histogram_quantile(0.95, sum by (le, use) (rate(gateway_call_duration_seconds_bucket[$__rate_interval])))',
          '{{use}}',
        ],
      ],
    },
  ],
  'voice-api': [
    {
      title: 'Open conversation streams',
      unit: 'short',
      queries: [['sum(conversation_streams)', 'streams']],
    },
    {
      title: 'Conversation events',
      unit: 'ops',
      queries: [['sum by (outcome) (rate(conversation_events_total[$__rate_interval]))', '{{outcome}}']],
    },
    {
      title: 'Webhook attempts by outcome',
      unit: 'ops',
      queries: [['sum by (outcome) (rate(webhook_attempts_total[$__rate_interval]))', '{{outcome}}']],
    },
    {
      title: 'From event to first attempt',
      unit: 's',
      note: 'The aim is 250 ms.',
      queries: [
        [
          'histogram_quantile(0.5, sum by (le) (rate(webhook_first_attempt_delay_seconds_bucket[$__rate_interval])))',
          'p50',
        ],
        [
          'histogram_quantile(0.99, sum by (le) (rate(webhook_first_attempt_delay_seconds_bucket[$__rate_interval])))',
          'p99',
        ],
      ],
    },
    {
      title: 'Time until rows have no partition of their own',
      unit: 's',
      queries: [['min by (table) (partitions_ahead_seconds)', '{{table}}']],
    },
    {
      title: 'Webhooks disabled in the last hour',
      unit: 'short',
      queries: [['sum(increase(webhooks_disabled_total[1h]))', 'disabled']],
    },
  ],
  notifications: [
    {
      title: 'Notifications accepted',
      unit: 'ops',
      queries: [['sum by (source) (rate(notifications_accepted_total[$__rate_interval]))', '{{source}}']],
    },
    {
      title: 'Attempts by channel and outcome',
      unit: 'ops',
      queries: [
        [
          'sum by (channel, outcome) (rate(delivery_attempts_total[$__rate_interval]))',
          '{{channel}} {{outcome}}',
        ],
      ],
    },
    {
      title: 'Opens and clicks',
      unit: 'ops',
      queries: [
        ['sum by (channel, event) (rate(engagements_total[$__rate_interval]))', '{{channel}} {{event}}'],
      ],
    },
    {
      title: 'Events of mail providers about unknown mail',
      unit: 'ops',
      note: 'Mail of other programs of the same account, or a provider that leaves our id out.',
      queries: [['sum by (provider) (rate(mail_events_unmatched_total[$__rate_interval]))', '{{provider}}']],
    },
    {
      title: 'Devices by what an attempt came to',
      unit: 'ops',
      queries: [['sum by (outcome) (rate(push_attempts_total[$__rate_interval]))', '{{outcome}}']],
    },
    {
      title: 'Subscriptions by VAPID key',
      unit: 'short',
      note: 'An old key can be retired when it has no live subscription left.',
      queries: [['max by (key_id, state) (push_subscriptions)', '{{key_id}} {{state}}']],
    },
    {
      title: 'Open inbox streams',
      unit: 'short',
      queries: [['sum(inbox_streams)', 'streams']],
    },
  ],
};

export function panelsOf(service: ServiceName): Panel[] {
  return [...OWN[service], ...shared(service)];
}

const COLUMNS = 2;
const WIDTH = 24 / COLUMNS;
const HEIGHT = 8;

/** What Grafana imports: two panels a row, over the data source that is chosen above. */
export function dashboardOf(service: ServiceName): object {
  const datasource = { type: 'prometheus', uid: '${datasource}' };
  return {
    uid: `parley-${service}`,
    title: `Parley ${service}`,
    tags: ['parley'],
    schemaVersion: 39,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    templating: { list: [{ name: 'datasource', type: 'datasource', query: 'prometheus' }] },
    panels: panelsOf(service).map(({ title, unit, queries, note }, index) => ({
      id: index + 1,
      type: 'timeseries',
      title,
      ...(note === undefined ? {} : { description: note }),
      datasource,
      gridPos: {
        x: (index % COLUMNS) * WIDTH,
        y: Math.floor(index / COLUMNS) * HEIGHT,
        w: WIDTH,
        h: HEIGHT,
      },
      fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
      targets: queries.map(([expr, legendFormat], query) => ({
        refId: String.fromCharCode(65 + query),
        datasource,
        expr,
        legendFormat,
      })),
    })),
  };
}
