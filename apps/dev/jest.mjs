// Runs jest: the `test` target of every project, and what `npm test` runs. Without the addresses of
// servers that may be filled with test data, the launcher first starts some (src/commands/test.ts)
// and comes back here.
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';

const { TEST_POSTGRES_URL, TEST_REDIS_URL } = process.env;
const jest = [
  // Every file loads a service's modules and drops them. A larger young generation than Node's
  // 16 MB spares the collector a sixth of all CPU.
  '--max-semi-space-size=64',
  '--experimental-vm-modules',
  '--disable-warning=ExperimentalWarning',
  'node_modules/jest/bin/jest.js',
];
const program = TEST_POSTGRES_URL && TEST_REDIS_URL ? jest : ['apps/dev/bootstrap.mjs', 'test'];
mkdirSync('dist/test', { recursive: true }); // where the targets leave their results; jest makes no folder
const child = spawn(process.execPath, [...program, ...process.argv.slice(2)], { stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.once('exit', (status) => process.exit(status ?? 1));
