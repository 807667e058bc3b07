// `npm run image:rehearse`: what the Dockerfile does, where no container engine runs. Its steps in
// a clean directory outside the checkout, then the life of the images from migrate to SIGTERM, as
// user 65532 on trees that nobody may write to.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { refusePackagesAbove, releasePlace, SERVICES, SERVICE_FACTS } from '../stack/index.ts';
import { onServer } from '../databases.ts';
import { runCommand } from '../run-command.ts';
import { buildImages } from '../shipping/build-image.ts';
import { rehearse } from '../shipping/rehearse.ts';
import { withThrowaway } from '../throwaway.ts';

await runCommand((context) =>
  withThrowaway(context, 'rehearsal', async ({ home, signal, startPostgres, startRedis }) => {
    const { root, env, report, print } = context;
    const folder = releasePlace(home);
    refusePackagesAbove(folder);
    mkdirSync(folder, { mode: 0o755 });
    try {
      const [images, postgres, redis] = await Promise.all([
        report.step('images built as the Dockerfile says', () =>
          buildImages({
            root,
            folder,
            services: [...SERVICES, 'console'],
            env,
            onStep: (text) => print(`  … ${text}`),
          }),
        ),
        startPostgres(),
        startRedis(),
      ]);
      signal.throwIfAborted();
      const servers = {
        databaseUrlOf: (service: (typeof SERVICES)[number]) =>
          onServer(postgres.url, SERVICE_FACTS[service].database),
        queueUrl: redis.url,
        secretsFolder: join(folder, 'secrets'),
      };
      const seen = await report.step('images played through', () => rehearse(images, servers));
      for (const line of seen) print(`      ${line}`);
      return 0;
    } finally {
      execFileSync('chmod', ['-R', 'u+w', folder]); // the images are read-only
      rmSync(folder, { recursive: true });
    }
  }),
);
