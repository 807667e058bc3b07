// `npm run generate [-- <folder>…]`: the Prisma clients, the data of languages and the types of the
// SDK, where their sources changed. A service (`prisma/voice-api`) or `libs/sdk` makes only its
// own.
import { basename } from 'node:path';
import { SERVICES, generateClients, generateLanguages, generateSdkTypes } from '../stack/index.ts';
import { serviceNamed } from '../databases.ts';
import { runCommand } from '../run-command.ts';

const SDK = 'sdk';

await runCommand(async ({ root, report, args }) => {
  const names = args.map((path) => basename(path));
  const isEverything = names.length === 0;
  const services = isEverything ? SERVICES : names.filter((name) => name !== SDK).map(serviceNamed);
  if (services.length > 0)
    await report.step('Prisma clients generated', () => generateClients(root, services));
  if (services.length > 0) await report.step('languages built', () => generateLanguages(root));
  if (isEverything || names.includes(SDK))
    await report.step('types of the SDK generated', () => generateSdkTypes(root));
  return 0;
});
