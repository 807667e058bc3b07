// `npm run build`: dist/apps/<name>/main.mjs for the three services and the operator's command line.
import { bundleApps, generateClients } from '@parley/stack';
import { runCommand } from '../run-command.ts';

await runCommand(async ({ root, report }) => {
  await report.step('Prisma clients generated', () => generateClients(root));
  await report.step('services and command line bundled into dist/', () => bundleApps({ root }));
  return 0;
});
