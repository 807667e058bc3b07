// `npm run test:python`: what others run with python3 and from a shell, in files that end in
// `.python.ts`: the Python SDK, the observers and the commands of the recipes
// (docs/platform.md#tests). Files that end in `.pypi.ts` install from PyPI and run by
// --testMatch='**/*.pypi.ts'.
import { requirePython } from '../require-python.ts';
import { runCommand } from '../run-command.ts';
import { runNode } from '../throwaway.ts';

await runCommand(async (context) => {
  await requirePython();
  const test = ['apps/dev/bootstrap.mjs', 'test', '--testMatch=**/*.python.ts', ...context.args];
  return (await runNode(context, test, {}, new AbortController().signal)) ?? 1;
});
