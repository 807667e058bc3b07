// `npm run generate [-- <service>…]`: the Prisma clients, where their schema changed. A service may be named by its folder.
import { basename } from 'node:path';
import { SERVICES, generateClients, generateLanguages } from '../stack/index.ts';
import { serviceNamed } from '../databases.ts';
import { runCommand } from '../run-command.ts';

await runCommand(async ({ root, report, args }) => {
  const services = args.length === 0 ? SERVICES : args.map((path) => serviceNamed(basename(path)));
  await report.step('Prisma clients generated', () => generateClients(root, services));
  await report.step('languages built', () => generateLanguages(root));
  return 0;
});
