// One jest run over every app, lib and store. `npm test` starts Postgres and Redis first (apps/launcher).
import { readdirSync } from 'node:fs';

const root = import.meta.dirname;
const folders = ['apps', 'libs'].flatMap((kind) =>
  readdirSync(`${root}/${kind}`).map((name) => `${kind}/${name}`),
);

/** TypeScript to ES modules, types stripped: the type check is a separate step (`npm run typecheck`). */
const transform = {
  '^.+\\.ts$': [
    '@swc/jest',
    {
      swcrc: false,
      jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
      module: { type: 'es6' },
      sourceMaps: 'inline',
    },
  ],
};

export default {
  // Jest keeps every module of every test file it ran: a worker that grew is replaced instead of swapping.
  workerIdleMemoryLimit: '768MB',
  // Half a second, the default, is too short for a worker that holds a service's modules on a busy machine: it is killed and said to leak.
  workerGracefulExitTimeout: 10_000,
  testTimeout: 20_000,
  // Most tests wait for servers: one worker a core, the runner's own share is small.
  maxWorkers: '100%',
  projects: folders.map((folder) => ({
    displayName: folder,
    rootDir: `${root}/${folder}`,
    testEnvironment: 'node',
    testMatch: ['<rootDir>/{src,test}/**/*.test.ts'],
    extensionsToTreatAsEsm: ['.ts'],
    transform,
  })),
};
