// `npm run image:rehearse [-- <service>…]`: what the Dockerfile does, where no container engine runs. Its steps in a clean
// directory, then each image's life from migrate to SIGTERM, as user 65532 on a tree that nobody may write to.
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { SERVICES, SERVICE_FACTS } from '@parley/local-stack';
import { onServer, serviceNamed } from '../databases.ts';
import { runCommand } from '../run-command.ts';
import { buildImages, type ImageName } from '../shipping/build-image.ts';
import { rehearse, rehearseConsole } from '../shipping/rehearse.ts';
import { withThrowaway } from '../throwaway.ts';

await runCommand((context) =>
  withThrowaway(context, 'rehearsal', async ({ home, signal, startPostgres, startRedis }) => {
    const { root, env, args, report, print } = context;
    const services = args.length === 0 ? [...SERVICES, 'console' as const] : args.map(imageNamed);
    const folder = join(home, 'images');
    mkdirSync(folder, { recursive: true });
    chmodSync(home, 0o755); // the images' user passes through here
    const images = await report.step(`images of ${services.join(', ')} built as the Dockerfile says`, () =>
      buildImages({ root, folder, services, env, onStep: (text) => print(`  … ${text}`) }),
    );
    signal.throwIfAborted();
    const [postgres, redis] = await report.step('Postgres and Redis started', () =>
      Promise.all([startPostgres(), startRedis()]),
    );
    for (const image of images) {
      signal.throwIfAborted();
      const { service } = image;
      const secretsFolder = join(home, 'mounted', service);
      const seen = await report.step(`${service} played through`, () =>
        service === 'console'
          ? rehearseConsole(image, secretsFolder)
          : rehearse(image, {
              databaseUrl: onServer(postgres.url, SERVICE_FACTS[service].database),
              queueUrl: redis.url,
              secretsFolder,
            }),
      );
      for (const line of seen) print(`      ${line}`);
    }
    return 0;
  }),
);

function imageNamed(name: string): ImageName {
  return name === 'console' ? name : serviceNamed(name);
}
