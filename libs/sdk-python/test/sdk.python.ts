// The tests of the SDK that need no service, run by Python (test_*.py). Those before the built
// services: apps/e2e/test/sdk.python.ts.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from '@jest/globals';

const home = join(import.meta.dirname, '..');

test('what needs no service', () => {
  const args = ['-W', 'error', '-m', 'unittest', 'discover', '-s', 'test'];
  const env = { PATH: process.env['PATH'], PYTHONPATH: join(home, 'src'), PYTHONDONTWRITEBYTECODE: '1' };
  execFileSync('python3', args, { cwd: home, env, stdio: 'pipe' }); // what fails is in the error
}, 60_000);
