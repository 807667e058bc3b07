// The command `parley dashboard`. What it needs (Express, BullMQ, Bull Board) is loaded only when it is run: the other commands
// start three times as fast without.
import type { Command, Option } from 'commander';
import type { Environment } from '@parley/runtime';
import type { Service } from '../services.ts';

export function addDashboard(parley: Command, env: Environment, product: () => Option): void {
  parley
    .command('dashboard')
    .description(
      "Serve a service's queues to operators (Bull Board), behind OPERATOR_PASSWORD; see apps/cli/README.md",
    )
    .addOption(product())
    .action(async (options: { product: Service }) => {
      const { runDashboard } = await import('./run-dashboard.ts');
      await runDashboard(options.product, env);
    });
}
