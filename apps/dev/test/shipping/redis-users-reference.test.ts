// docker/redis-users.acl is what the code says; `npm run docs` writes it. That its users can
// do their work, and nothing else, is tested against a Redis in libs/jobs, and whenever a stack
// starts one.
import { expect, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PARTIES, buildRedisUsersFile } from '@parley/jobs';
import { readText, root } from './facts.ts';

const FILE = 'docker/redis-users.acl';

test('the users of Redis are those of the registry', () => {
  if (process.env['UPDATE_DOCS'] === 'true') writeFileSync(join(root, FILE), buildRedisUsersFile());
  expect(readText(FILE)).toBe(buildRedisUsersFile());
});

test.each(['docker/make-secrets.sh', 'k8s/overlays/dev/make-secrets.sh'])(
  '%s gives each a password',
  (script) => {
    const [, users = ''] = /^users='(.*)'$/m.exec(readText(script)) ?? [];
    expect(users.split(' ').sort()).toEqual([...PARTIES, 'console', 'operator'].sort());
  },
);
