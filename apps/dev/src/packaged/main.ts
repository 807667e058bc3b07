// `npx parley`: a whole Parley from the bundles of the npm package, which
// src/shipping/package-parley.ts makes. It writes into `.parley` of the folder where it is called,
// and nowhere else.
import { join, resolve } from 'node:path';
import { runCommand } from '../run-command.ts';
import { planQueueEngine } from '../stack/index.ts';
import { start } from '../start.ts';

await runCommand(async (context) => {
  const { root, env, report } = context;
  const home = resolve(env['PARLEY_HOME'] || '.parley');
  const queue = await planQueueEngine(env, home, report);
  const programs = { distDir: join(root, 'dist'), queue };
  return start({ ...context, home, programs, operatorProgram: 'npx parley' });
});
