// One jest project for each project of Nx, under its name. The `test` target runs one of them, `npm
// test -- <pattern>` looks through all.
import { existsSync, readFileSync, readdirSync } from 'node:fs';

const root = import.meta.dirname;
const projects = ['apps', 'libs', 'prisma']
  .flatMap((kind) => readdirSync(`${root}/${kind}`).map((name) => `${root}/${kind}/${name}`))
  .filter((rootDir) => existsSync(`${rootDir}/package.json`)) // a folder of the commit before may hold ignored files
  .map((rootDir) => ({ rootDir, displayName: JSON.parse(readFileSync(`${rootDir}/package.json`)).nx.name }));

/**
 * TypeScript to ES modules, types stripped: the type check is a separate step (`npm run
 * typecheck`).
 */
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

/** The same for what is drawn, which has JSX. */
const [swc, options] = Object.values(transform)[0];
const jsx = {
  parser: { syntax: 'typescript', tsx: true },
  transform: { react: { runtime: 'automatic' } },
};
const drawn = (folder, displayName, endings) => ({
  rootDir: `${root}/${folder}`,
  displayName,
  testEnvironment: `${root}/test/jsdom.mjs`,
  testMatch: [`<rootDir>/**/*.test.${endings}`],
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  setupFilesAfterEnv: ['<rootDir>/test/setup.ts'],
  transform: { ...transform, '^.+\\.tsx$': [swc, { ...options, jsc: { ...options.jsc, ...jsx } }] },
});
const defaults = {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/apps/console/web/'],
  extensionsToTreatAsEsm: ['.ts'],
  transform,
};

export default {
  // Jest keeps every module of every test file it ran: a worker that grew is replaced instead of
  // swapping.
  workerIdleMemoryLimit: '768MB',
  // Half a second, the default, is too short for a worker that holds a service's modules on a busy
  // machine: it is killed and said to leak.
  workerGracefulExitTimeout: 10_000,
  testTimeout: 120_000,
  // Most tests wait for servers: one worker a core, the runner's own share is small. Nx runs three
  // projects at once, each with half of them.
  maxWorkers: process.env.NX_TASK_TARGET_PROJECT ? '50%' : '100%',
  projects: [
    ...[...projects, { rootDir: `${root}/test`, displayName: 'root' }].map((one) => ({
      ...defaults,
      ...one,
    })),
    drawn('apps/console/web', 'console-web', '{ts,tsx}'),
    drawn('libs/inbox', 'inbox-react', 'tsx'),
    drawn('libs/portal', 'portal-react', 'tsx'),
  ].map((project) => ({
    ...project,
    cacheDirectory: `${root}/node_modules/.cache/jest`, // else in the temporary folder, which goes with the run
  })),
};
