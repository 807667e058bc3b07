// `npm run db:migrate [-- <service>]`: applies the migrations, to DATABASE_URL_<SERVICE> or to the
// development stack's Postgres.
import { deployMigrations } from '@parley/migrator';
import { SERVICES, SERVICE_FACTS, schemaDir, type ServiceName } from '../stack/index.ts';
import { givenUrl, onServer, serviceNamed, withDevelopmentPostgres } from '../databases.ts';
import { runCommand } from '../run-command.ts';
import type { CommandContext } from '../run-command.ts';

await runCommand(async (context) => {
  const services = context.args.length === 0 ? SERVICES : context.args.map(serviceNamed);
  const atHome: ServiceName[] = [];
  for (const service of services) {
    const url = givenUrl(context, service);
    if (url === undefined) atHome.push(service);
    else await migrate(context, service, url);
  }
  if (atHome.length > 0) {
    await withDevelopmentPostgres(context, async (serverUrl) => {
      for (const service of atHome)
        await migrate(context, service, onServer(serverUrl, SERVICE_FACTS[service].database));
    });
  }
  return 0;
});

async function migrate(
  { root, print }: CommandContext,
  service: ServiceName,
  databaseUrl: string,
): Promise<void> {
  const applied = await deployMigrations({ schemaDir: schemaDir(root, service), databaseUrl });
  const { host, pathname } = new URL(databaseUrl);
  print(
    `  ✓ ${service} (${host}${pathname}): ${applied.length === 0 ? 'nothing to do' : applied.join(', ')}`,
  );
}
