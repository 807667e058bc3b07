// `npm run generate`: the three Prisma clients, where their schema changed.
import { generateClients } from '@parley/local-stack';
import { runCommand } from '../run-command.ts';

await runCommand(async ({ root, report }) => {
  await report.step('Prisma clients generated', () => generateClients(root));
  return 0;
});
