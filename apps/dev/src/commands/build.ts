// The `build` target of the services and of the operator's command line, and what docker/Dockerfile
// runs: dist/apps/<name>/main.mjs for each that is named, or for all.
import { BUNDLED_APPS, bundleApps, type BundledApp } from '../stack/index.ts';
import { CommandError, runCommand } from '../run-command.ts';

await runCommand(async ({ root, report, args }) => {
  const apps = args.length === 0 ? BUNDLED_APPS : args.map(appNamed);
  await report.step(`${apps.join(', ')} bundled into dist/`, () => bundleApps({ root, apps }));
  return 0;
});

function appNamed(name: string): BundledApp {
  const app = BUNDLED_APPS.find((known) => known === name);
  if (!app) throw new CommandError(`There is no app "${name}": ${BUNDLED_APPS.join(', ')}`);
  return app;
}
