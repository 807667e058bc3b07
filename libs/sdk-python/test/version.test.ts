// Its version, which a release sets by hand (CONTRIBUTING).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const home = join(import.meta.dirname, '..');

test('the version is that of the repository', () => {
  const { version } = JSON.parse(readFileSync(join(home, '../../package.json'), 'utf8')) as {
    version: string;
  };
  expect(readFileSync(join(home, 'pyproject.toml'), 'utf8')).toContain(`\nversion = "${version}"\n`);
});
