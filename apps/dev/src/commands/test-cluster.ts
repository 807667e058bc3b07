// `npm run test:cluster`: k8s/ as the real programs see it (test/cluster). kubectl renders every
// overlay, Helm every chart, promtool checks and tests the alerts.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fetchHelm, fetchPromtool, fetchSchemas, programOn } from '../cluster-tools.ts';
import { closeRun } from '../closing-line.ts';
import { CommandError, runCommand } from '../run-command.ts';
import { runNode } from '../throwaway.ts';

await runCommand(async (context) => {
  const { root, env, args } = context;
  const path = env['PATH'] ?? '';
  if (!programOn(path, 'kubectl'))
    throw new CommandError(
      'There is no kubectl on PATH. Install it: brew install kubectl (macOS), snap install kubectl --classic (Ubuntu), or ' +
        'https://kubernetes.io/docs/tasks/tools/',
    );
  const PROMTOOL = await fetchPromtool(path, join(root, '.parley', 'prometheus-apt'));
  const CLUSTER_TOOLS = await fetchSchemas(root);
  const HELM = await fetchHelm(path, CLUSTER_TOOLS);
  const results = join(root, 'dist', 'test-cluster.json');
  rmSync(results, { force: true });
  const chosen = ['--selectProjects=dev', '--testMatch=**/*.cluster.ts', ...args];
  const jest = ['apps/dev/jest.mjs', ...chosen, '--json', `--outputFile=${results}`];
  // These tests need no servers, and get none.
  const more = { PROMTOOL, HELM, CLUSTER_TOOLS, TEST_POSTGRES_URL: 'none', TEST_REDIS_URL: 'none' };
  const status = await runNode(context, jest, more, new AbortController().signal);
  return closeRun(context, [results], status);
});
