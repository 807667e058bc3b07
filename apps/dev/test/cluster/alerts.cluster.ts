// The alerts as Prometheus itself reads them. PROMTOOL is its path (src/commands/test-cluster.ts).
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { root } from '../shipping/facts.ts';

test.each([
  ['check', 'alerts.yaml'],
  ['test', 'alerts.test.yaml'],
])('promtool %s rules %s', (verb, file) => {
  const path = join(root, 'k8s', 'observability', file);
  const { status, stdout, stderr } = spawnSync(process.env['PROMTOOL']!, [verb, 'rules', path], {
    encoding: 'utf8',
  });
  expect(status === 0 ? 'well' : stdout + stderr).toBe('well');
});
