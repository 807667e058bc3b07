import { describe, expect, test } from '@jest/globals';
import { createMetrics } from './metrics.ts';

/** The value of a series, with its labels in any order. */
function valueOf(text: string, name: string, labels: Record<string, string>): number | undefined {
  const line = text
    .split('\n')
    .find(
      (one) =>
        one.startsWith(`${name}{`) &&
        Object.entries(labels).every(([key, value]) => one.includes(`${key}="${value}"`)),
    );
  return line === undefined ? undefined : Number(line.split(' ').at(-1));
}

describe('metrics', () => {
  test('a request is counted by method, route template and status', async () => {
    const metrics = createMetrics('flow-builder');
    metrics.observeRequest('GET', '/v1/flows/{flow_id}', 200, 0.002);
    metrics.observeRequest('GET', '/v1/flows/{flow_id}', 200, 0.004);
    const labels = { service: 'flow-builder', method: 'GET', route: '/v1/flows/{flow_id}', status: '200' };
    expect(valueOf(await metrics.text(), 'http_request_duration_seconds_count', labels)).toBe(2);
  });

  test('a failing collector loses only its own metric, and that is counted', async () => {
    const metrics = createMetrics('voice-api');
    metrics.gauge('queue_depth', 'Jobs waiting', ['queue'], () => Promise.reject(new Error('Redis is away')));
    metrics.counter('deliveries_total', 'Attempts', ['outcome']).inc({ outcome: 'sent' });
    const text = await metrics.text();
    expect(valueOf(text, 'deliveries_total', { service: 'voice-api', outcome: 'sent' })).toBe(1);
    expect(text).toContain('# queue_depth could not be collected');
    const failed = { metric: 'queue_depth' };
    expect(valueOf(await metrics.text(), 'metrics_collect_failures_total', failed)).toBeGreaterThan(0);
  });

  test('a hanging collector does not block the scrape', async () => {
    const metrics = createMetrics('voice-api');
    metrics.gauge('stuck', 'Never answers', [], () => new Promise(() => undefined));
    expect(await metrics.text()).toContain('# stuck could not be collected');
  });

  test('two services in one process do not share a registry', async () => {
    const first = createMetrics('a');
    first.observeJob('push-sends', 'sent', 1);
    expect(await createMetrics('b').text()).not.toContain('push-sends');
  });
});
