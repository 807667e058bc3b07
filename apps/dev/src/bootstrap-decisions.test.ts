import { describe, expect, test } from '@jest/globals';
import { installReason, lockHash, needsTools, nodeProblem } from '../bootstrap-decisions.mjs';

describe('nodeProblem', () => {
  test.each([
    ['20.19.0', true],
    ['20.20.2', true],
    ['22.13.0', true],
    ['24.0.0', true],
    ['26.10.0', true],
    ['23.11.0', false],
    ['22.12.0', false],
    ['21.7.3', false],
    ['20.18.3', false],
    ['18.20.4', false],
    ['16.0.0', false],
  ])('Node %s: %s', (version, fine) => {
    const problem = nodeProblem(version, '/usr/bin/node');
    if (fine) expect(problem).toBeNull();
    else
      expect(problem).toBe(
        `Parley needs Node 20.19 or later of 20, 22.13 or later of 22, or 24 or newer; /usr/bin/node is Node ${version}. See https://nodejs.org/en/download`,
      );
  });
});

describe('installReason', () => {
  const lock = (packages: object): string =>
    JSON.stringify({ packages: { '': { name: 'parley' }, ...packages } });
  const lockText = lock({
    'node_modules/a': { version: '1.0.0' },
    'node_modules/a-for-macs': { version: '1.0.0', optional: true },
    'node_modules/linter': { version: '1.0.0', dev: true },
    'node_modules/@parley/server/http': { resolved: 'libs/server/http', link: true },
    'libs/server/http': { version: '0.1.0' },
  });
  const installed = (packages: object): string => JSON.stringify({ packages });
  const complete = {
    'node_modules/a': { version: '1.0.0' },
    'node_modules/linter': { version: '1.0.0' },
    'node_modules/@parley/server/http': { link: true },
    'libs/server/http': { version: '0.1.0' },
  };

  test.each<[string, string | null, string | null, string | null]>([
    ['a fresh clone', null, null, 'nothing is installed yet'],
    ['our own stamp', lockHash(lockText), installed({}), null],
    ['our own stamp, and no record of npm', `${lockHash(lockText)}\n`, null, null],
    [
      'an old stamp and no record of npm',
      lockHash('{}'),
      null,
      'package-lock.json changed since the last time',
    ],
    ['npm ci by hand', null, installed(complete), null],
    [
      'a new version of ours',
      null,
      installed({ ...complete, 'libs/server/http': { version: '0.0.1' } }),
      null,
    ],
    ['npm install by hand after ours', lockHash('{}'), installed(complete), null],
    [
      'a package was added',
      lockHash('{}'),
      installed({ ...complete, 'node_modules/a': undefined }),
      'node_modules/a is missing',
    ],
    [
      'a package was updated',
      null,
      installed({ ...complete, 'node_modules/a': { version: '0.9.0' } }),
      'node_modules/a is of another version',
    ],
    [
      'a library was added',
      null,
      installed({ ...complete, 'node_modules/@parley/server/http': undefined }),
      'node_modules/@parley/server/http is missing',
    ],
  ])('%s', (_what, stamp, installedText, reason) => {
    expect(installReason({ lockText, stamp, installedText, withTools: true })).toBe(reason);
  });

  test.each<[string, string | null, object, string | null]>([
    ['of a start', lockHash(lockText, false), {}, null],
    ['of a test', lockHash(lockText), {}, null],
    ['of npm ci by hand', null, complete, null],
    ['of npm ci --omit=dev by hand', null, { ...complete, 'node_modules/linter': undefined }, null],
    ['without a package', null, { ...complete, 'node_modules/a': undefined }, 'node_modules/a is missing'],
  ])('a start wants no tools: packages %s', (_what, stamp, packages, reason) => {
    const installedText = installed(packages);
    expect(installReason({ lockText, stamp, installedText, withTools: false })).toBe(reason);
  });

  test('tests want the tools that a start left out', () => {
    const installedText = installed({ ...complete, 'node_modules/linter': undefined });
    const facts = { lockText, stamp: lockHash(lockText, false), installedText };
    expect(installReason({ ...facts, withTools: true })).toBe('node_modules/linter is missing');
    expect(['start', 'run', 'test', 'tool'].map(needsTools)).toEqual([false, false, true, true]);
  });
});
