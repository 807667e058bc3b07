// The command `parley dashboard`. It loads Express, BullMQ and Bull Board only when it runs,
// because they triple the start time of the program.
import type { Command, Option } from 'commander';
import type { Environment } from '@parley/server/runtime';
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
