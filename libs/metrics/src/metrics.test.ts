import { describe, expect, test } from '@jest/globals';
import { createMetrics } from './metrics.ts';

describe('metrics', () => {
  test('a request is counted by method, route template and status', async () => {
    const metrics = createMetrics('flow-builder');
    metrics.observeRequest('GET', '/v1/flows/{flow_id}', 200, 0.002);
    metrics.observeRequest('GET', '/v1/flows/{flow_id}', 200, 0.004);
    expect(await metrics.text()).toContain(
      'http_request_duration_seconds_count{service="flow-builder",method="GET",route="/v1/flows/{flow_id}",status="200"} 2',
    );
  });

  test('a failing collector loses its own metric only, and that is counted', async () => {
    const metrics = createMetrics('voice-api');
    metrics.gauge('queue_depth', 'Jobs waiting', ['queue'], () => Promise.reject(new Error('Redis is away')));
    metrics.counter('deliveries_total', 'Attempts', ['outcome']).inc({ outcome: 'sent' });
    const text = await metrics.text();
    expect(text).toContain('deliveries_total{service="voice-api",outcome="sent"} 1');
    expect(text).toContain('# queue_depth could not be collected');
    expect(await metrics.text()).toContain(
      'metrics_collect_failures_total{service="voice-api",metric="queue_depth"}',
    );
  });

  test('a collector that hangs does not hang the scrape', async () => {
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
