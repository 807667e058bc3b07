// Alerts and dashboards against the code: a metric that is renamed or gone fails here, not in the
// night it was needed.
import { describe, expect, test } from '@jest/globals';
import { parser } from '@prometheus-io/lezer-promql';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMetrics } from '@parley/metrics';
import { SERVICES } from '@parley/server/runtime';
import { format } from 'prettier';
import { parse } from 'yaml';
import { buildPrometheusRule } from '../../src/shipping/charts/charts.ts';
import { dashboardOf, panelsOf } from '../../src/shipping/dashboards.ts';
import { readText, root, sourcesIn } from './facts.ts';

interface Rule {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; runbook: string; runbook_url: string };
}

const folder = 'k8s/observability';
const rules = (parse(readText(`${folder}/alerts.yaml`)) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  (group) => group.rules,
);
const tests = (
  parse(readText(`${folder}/alerts.test.yaml`)) as {
    tests: { alert_rule_test: { alertname: string; exp_alerts: object[] }[] }[];
  }
).tests.flatMap((one) => one.alert_rule_test);

const sources = ['apps/flow-builder/src', 'apps/voice-api/src', 'apps/notifications/src', 'libs'].flatMap(
  sourcesIn,
);

/** Every metric of a service as Prometheus sees it, with its labels. */
const known = new Map<string, Set<string>>();
for (const { name, labelNames, type } of definitions()) {
  const names = type === 'histogram' ? ['bucket', 'count', 'sum'].map((part) => `${name}_${part}`) : [name];
  // `service` is on every metric (libs/metrics), `le` on every bucket.
  for (const one of names)
    known.set(one, new Set([...labelNames, 'service', ...(one.endsWith('_bucket') ? ['le'] : [])]));
}

function definitions(): { name: string; labelNames: string[]; type: string }[] {
  const found = sources.flatMap(({ text }) =>
    [...text.matchAll(/\.(counter|gauge|histogram)\(\s*'([a-z][a-z_]+)',[^[]*\[([^\]]*)\]/g)].map(
      ([, type, name, labels]) => ({
        type: type!,
        name: name!,
        labelNames: [...labels!.matchAll(/'(\w+)'/g)].map(([, label]) => label!),
      }),
    ),
  );
  const inherited = createMetrics('any').registry.getMetricsAsArray() as unknown as {
    name: string;
    labelNames: string[];
    type: string;
  }[];
  return [...found, ...inherited.map(({ name, labelNames, type }) => ({ name, labelNames, type }))];
}

interface Uses {
  /**
   * Every metric, with the values that its labels are compared with; a regular expression is split
   * at its bars where it is nothing else.
   */
  readonly metrics: { name: string; labels: Map<string, string[]> }[];
  /** Labels that are kept by `by (…)`. */
  readonly groupings: string[];
}

function usesOf(expr: string): Uses {
  const uses: Uses = { metrics: [], groupings: [] };
  const textOf = (node: { from: number; to: number } | null) =>
    node === null ? '' : expr.slice(node.from, node.to);
  parser.parse(expr).iterate({
    enter: ({ node }) => {
      if (node.type.isError) throw new Error(`this is no PromQL: ${expr}`);
      if (node.name === 'VectorSelector')
        uses.metrics.push({ name: textOf(node.getChild('Identifier')), labels: new Map() });
      if (node.name === 'UnquotedLabelMatcher') {
        const value = textOf(node.getChild('StringLiteral')).slice(1, -1);
        const isRegex = textOf(node.getChild('MatchOp')).endsWith('~');
        const values = !isRegex ? [value] : /^[\w|-]+$/.test(value) ? value.split('|') : [];
        uses.metrics.at(-1)!.labels.set(textOf(node.getChild('LabelName')), values);
      }
      if (node.name === 'AggregateModifier' && node.getChild('By'))
        uses.groupings.push(...node.getChild('GroupingLabels')!.getChildren('LabelName').map(textOf));
    },
  });
  return uses;
}

/** What is wrong with an expression, if anything. */
function problemsOf(expr: string): string[] {
  const { metrics: uses, groupings } = usesOf(expr);
  if (uses.length === 0) return ['it names no metric'];
  const labels = new Set(uses.flatMap(({ name }) => [...(known.get(name) ?? [])]));
  return [
    ...uses.flatMap(({ name, labels: used }) => {
      if (!known.has(name)) return [`there is no metric ${name}`];
      return [...used].flatMap(([label, values]) => [
        ...(known.get(name)!.has(label) ? [] : [`${name} has no label ${label}`]),
        ...values
          .filter((value) => !isWritten(label, value))
          .map((value) => `nothing writes ${label}="${value}"`),
      ]);
    }),
    ...groupings.filter((label) => !labels.has(label)).map((label) => `nothing has the label ${label}`),
  ];
}

/**
 * Whether the code has the label's value as a word of its own. Status codes and quantiles are
 * numbers.
 */
function isWritten(label: string, value: string): boolean {
  if (label === 'status' || label === 'le') return true;
  return sources.some(({ text }) => text.includes(`'${value}'`));
}

test('the code is read rightly: what every service has is found, and mistakes are', () => {
  expect(known.size).toBeGreaterThan(60);
  for (const name of ['queue_age_seconds', 'flow_turns_total', 'http_request_duration_seconds_bucket']) {
    expect(known.has(name)).toBe(true);
  }
  expect(problemsOf('sum(rate(webhook_tries_total[5m])) by (outcome)')).toEqual([
    'there is no metric webhook_tries_total',
    'nothing has the label outcome',
  ]);
  expect(problemsOf('max by (pod) (queue_jobs{state="dead", tail="of nothing"})')).toEqual([
    'nothing writes state="dead"',
    'queue_jobs has no label tail',
    'nothing writes tail="of nothing"',
    'nothing has the label pod',
  ]);
  expect(problemsOf('vector(1)')).toEqual(['it names no metric']);
});

describe('alerts', () => {
  test.each(rules.map((rule) => [rule.alert, rule] as const))('%s', (name, rule) => {
    expect(problemsOf(rule.expr)).toEqual([]);
    expect(['page', 'ticket']).toContain(rule.labels.severity);
    expect(rule.annotations.summary.length * rule.annotations.runbook.length).toBeGreaterThan(0);
    expect(rule.annotations.runbook_url).toBe(
      `https://parley.example.com/docs/runbooks.html#${name.toLowerCase()}`,
    );
    const cases = tests.filter(({ alertname }) => alertname === name);
    expect(cases.some(({ exp_alerts }) => exp_alerts.length > 0)).toBe(true);
  });

  test('each has a runbook of five lines, and there is no other', () => {
    const sections = readText('docs/runbooks.md').split('\n## ').slice(1);
    const severities = new Map(rules.map(({ alert, labels }) => [alert, labels.severity]));
    for (const section of sections) {
      const [name = '', ...lines] = section.trim().split('\n');
      const words = lines
        .filter((line) => line !== '')
        .map((line) => /^- \*\*(.+?)\*\*: .{10,}/.exec(line)?.[1]);
      expect([name, words]).toEqual([name, ['Severity', 'Means', 'Look at', 'Do', 'Meanwhile']]);
      expect(lines[1]).toContain(`${severities.get(name)}, it`);
    }
    expect(sections.map((section) => section.split('\n')[0])).toEqual(rules.map(({ alert }) => alert));
  });

  test('there is one for each thing that an operator must hear of', () => {
    const exprs = rules.map(({ expr }) => expr).join('\n');
    for (const metric of [
      'queue_age_seconds',
      'webhook_attempts_total',
      'delivery_attempts_total',
      'webhooks_disabled_total',
      'push_subscriptions{state="key_mismatch"}',
      'limits_degraded',
      'worker_restarts_total',
      'clock_ahead_seconds',
      'gateway_failures_total',
      'alerts_unresolved{kind="storage_almost_full"}',
      'alerts_unresolved{kind="mail_reputation"}',
      'histogram_quantile(0.99',
    ]) {
      expect(exprs).toContain(metric);
    }
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  });
});

test.each([
  ['prometheus-rule.yaml of the operator', `${folder}/prometheus-rule.yaml`, buildPrometheusRule],
  ['the chart', 'k8s/charts/parley/files/alerts.yaml', (text: string) => text],
])('%s has the alerts', (_, path, build) => {
  const wanted = build(readText(`${folder}/alerts.yaml`));
  if (process.env['UPDATE_DOCS'] === 'true') writeFileSync(join(root, path), wanted);
  expect(readText(path)).toBe(wanted);
});

describe('dashboards', () => {
  test.each(SERVICES)('of %s shows metrics that exist', (service) => {
    const panels = panelsOf(service);
    expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
    const problems = panels.flatMap(({ title, queries }) =>
      queries.flatMap(([expr]) =>
        problemsOf(expr.replaceAll('$__rate_interval', '5m')).map((problem) => `${title}: ${problem}`),
      ),
    );
    expect(problems).toEqual([]);
  });

  test.each(SERVICES)('of %s is written down as the table has it', async (service) => {
    const path = join(root, folder, `dashboard-${service}.json`);
    const wanted = await format(JSON.stringify(dashboardOf(service)), { parser: 'json', printWidth: 110 });
    if (process.env['UPDATE_DOCS'] === 'true') writeFileSync(path, wanted);
    expect(existsSync(path) && readText(`${folder}/dashboard-${service}.json`)).toBe(wanted);
  });
});

test('the platform page names every metric of ours, and no other', () => {
  const own = new Set(definitions().flatMap(({ name }) => (isOurs(name) ? [name] : [])));
  const [, section = ''] = readText('docs/platform.md').split('## Logs and metrics\n');
  const named = [...section.split('\n## ')[0]!.matchAll(/`([a-z]+(?:_[a-z]+)+)`/g)].map(([, name]) => name!);
  expect([...new Set(named)].toSorted()).toEqual([...own].toSorted());
});

/** Others are prom-client's, of the process and of Node. */
function isOurs(name: string): boolean {
  return !/^(?:process|nodejs)_/.test(name);
}
