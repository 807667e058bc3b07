// `npm run test:clients`: packages of others that talk to Parley, in files that end in
// `.clients.ts`. They are large, so each is installed once into .parley instead of being a
// dependency (docs/platform.md#tests).
import { runCommand } from '../run-command.ts';
import { runNode } from '../throwaway.ts';

await runCommand(async (context) => {
  const test = ['apps/dev/bootstrap.mjs', 'test', '--testMatch=**/*.clients.ts', ...context.args];
  return (await runNode(context, test, {}, new AbortController().signal)) ?? 1;
});
