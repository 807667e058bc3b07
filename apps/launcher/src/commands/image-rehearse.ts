// `npm run image:rehearse [-- <service>…]`: what the Dockerfile does, where no container engine runs. Its steps in a clean
// directory, then each image's life from migrate to SIGTERM, as user 65532 on a tree that nobody may write to.
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  SERVICES,
  SERVICE_FACTS,
  debianRedis,
  findRedisOnPath,
  lockFolder,
  openLedger,
  removeAbandonedHomes,
  removeHome,
  startEmbeddedPostgres,
  startRedis,
} from '@parley/local-stack';
import { onServer, serviceNamed } from '../databases.ts';
import { runCommand } from '../run-command.ts';
import { buildImages } from '../shipping/build-image.ts';
import { rehearse } from '../shipping/rehearse.ts';

const PREFIX = 'rehearsal-';

await runCommand(async ({ root, env, args, report, print }) => {
  const services = args.length === 0 ? SERVICES : args.map(serviceNamed);
  const tools = join(root, '.parley');
  await removeAbandonedHomes(tools, PREFIX);
  const home = join(tools, `${PREFIX}${process.pid}`);
  const unlock = lockFolder(join(home, 'stack.lock'));
  const ledger = openLedger(join(home, 'processes.json'));
  const end = () => {
    ledger.killNow();
    process.exit(1);
  };
  process.once('SIGINT', end).once('SIGTERM', end);
  try {
    const folder = join(home, 'images');
    mkdirSync(folder, { recursive: true });
    chmodSync(home, 0o755); // the images' user passes through here
    const images = await report.step(`images of ${services.join(', ')} built as the Dockerfile says`, () =>
      buildImages({ root, folder, services, env, onStep: (text) => print(`  … ${text}`) }),
    );
    const servers = await report.step('Postgres and Redis started', async () => {
      const postgres = await startEmbeddedPostgres({ root, home, ledger, throwaway: true });
      const path = findRedisOnPath(env['PATH'] ?? '');
      const program = path === undefined ? await debianRedis(tools, report) : { path };
      const redis = await startRedis({ program, home, ledger, throwaway: true });
      return { postgres, redis };
    });
    for (const image of images) {
      const { service } = image;
      const seen = await report.step(`${service} played through`, () =>
        rehearse(image, {
          databaseUrl: onServer(servers.postgres.url, SERVICE_FACTS[service].database),
          queueUrl: servers.redis.url,
          secretsFolder: join(home, 'mounted', service),
        }),
      );
      for (const line of seen) print(`      ${line}`);
    }
    return 0;
  } finally {
    await removeHome(home);
    unlock();
  }
});
