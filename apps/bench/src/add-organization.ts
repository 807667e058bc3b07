// An organisation of its own on the largest plan, for parts that measure one beside another. Gives
// an admin key.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { ServiceName } from '@parley/dev/stack';

export function addOrganization(service: ServiceName, root: string, databaseUrl: string, id: string): string {
  const parley = (...args: string[]): string => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--import', 'tsx', join(root, 'apps/cli/src/main.ts'), ...args, '--database-url', databaseUrl],
      { cwd: root, encoding: 'utf8' },
    );
    if (status !== 0) throw new Error(`parley ${args.join(' ')}: ${stderr}`);
    return stdout;
  };
  parley('organizations', 'set', '--product', service, '--org', id, '--plan', 'enterprise');
  const shown = parley(
    ...`keys create --product ${service} --org ${id} --scopes admin`.split(' '),
    '--name',
    'bench',
  );
  const key = /[a-z]{2}_(live|test)_\w+/.exec(shown)?.[0];
  if (key === undefined) throw new Error(`no key in: ${shown}`);
  return key;
}
