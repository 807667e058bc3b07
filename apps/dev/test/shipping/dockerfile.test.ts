// docker/: what the Dockerfile says, what may enter a build, and the compose file against the
// settings of the services.
import { describe, expect, test } from '@jest/globals';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { NODE_FLAGS } from '../../src/stack/index.ts';
import { SERVICES, secretReference } from '@parley/server/runtime';
import { parse } from 'yaml';
import {
  commandOf,
  contextFilter,
  environmentOf as imageEnvironment,
  instructionsOf,
  parseDockerfile,
} from '../../src/shipping/dockerfile.ts';
import { environmentOf, readText, root } from './facts.ts';

const stages = parseDockerfile(readText('docker/Dockerfile'));
const [build, image] = stages;

describe('the Dockerfile', () => {
  test('builds in one stage and ships another one: no shell, no npm, no root', () => {
    expect(stages).toHaveLength(2);
    expect(build).toMatchObject({ as: 'build', from: expect.stringMatching(/^node:\d+-/) });
    expect(image!.from).toMatch(/^gcr\.io\/distroless\/nodejs\d+-debian12:nonroot(@sha256:[0-9a-f]{64})?$/);
    expect(/\d+/.exec(build!.from!)![0]).toBe(/\d+/.exec(image!.from!)![0]); // one Node builds and runs
    expect(image!.instructions.map((instruction) => instruction.getKeyword())).not.toContain('RUN');
    expect(instructionsOf(image!, 'COPY')).toEqual(['--from=build /src/out/ ./']);
    expect(instructionsOf(image!, 'USER')).toEqual(['65532:65532']);
  });

  test('knows its service, and is healthy by asking it', () => {
    expect(imageEnvironment(image!, { APP: 'voice-api' })).toEqual({
      NODE_ENV: 'production',
      PARLEY_SERVICE: 'voice-api',
      PORT: '3000',
      NODE_OPTIONS: NODE_FLAGS.join(' '),
    });
    expect(commandOf(image!, 'HEALTHCHECK')).toEqual([commandOf(image!, 'ENTRYPOINT')[0], 'health.mjs']);
    expect(commandOf(image!, 'CMD')).toEqual(['service/main.mjs']);
  });

  test('can be rehearsed: every step works in whatever directory it is run', () => {
    for (const text of instructionsOf(build!, 'RUN')) {
      expect(text.replaceAll(/--mount=\S+/g, '')).not.toMatch(/(^|[\s=])\//);
    }
  });
});

describe('what enters a build', () => {
  const isLetIn = contextFilter(readText('docker/Dockerfile.dockerignore'));

  test.each([
    'package.json',
    'package-lock.json',
    '.npmrc',
    'LICENSE',
    'apps/voice-api/src/main.ts',
    'apps/dev/bootstrap.mjs',
    'libs/server/package.json',
    'libs/sdk/src/operations.ts',
    'prisma/voice-api/schema.prisma',
    'prisma/voice-api/migrations/migration_lock.toml',
    'docker/collect.sh',
  ])('%s', (path) => {
    expect(existsSync(join(root, path))).toBe(true);
    expect(isLetIn(path)).toBe(true);
  });

  test.each([
    '.git/config',
    '.env',
    '.parley/keys.json',
    'docker/secrets/data-key',
    'node_modules/express/index.js',
    'apps/voice-api/node_modules/x/index.js',
    'apps/voice-api/test/service.int.test.ts',
    'libs/server/runtime/src/config.test.ts',
    'dist/apps/cli/main.mjs',
    'prisma/voice-api/generated/client.ts',
    'libs/sdk/src/generated/voice-api.ts',
    'k8s/overlays/production/kustomization.yaml',
  ])('not %s', (path) => {
    expect(isLetIn(path)).toBe(false);
  });
});

describe('compose.yaml', () => {
  interface Container {
    image: string;
    build?: { args: { APP: string } };
    environment?: Record<string, string>;
    command?: string[];
    read_only?: boolean;
    cap_drop?: string[];
    secrets?: (string | { source: string; target: string })[];
    ports?: string[];
  }
  const { services, secrets } = parse(readText('docker/compose.yaml'), { merge: true }) as {
    services: Record<string, Container>;
    secrets: Record<string, { file: string }>;
  };
  /** The file of a secret, by the name under which a container sees it. */
  const fileOf = (container: Container, reference: string) => {
    const seen = reference.split('/').at(-1)!;
    const mounted = container.secrets!.find((one) => (typeof one === 'string' ? one : one.target) === seen)!;
    return secrets[typeof mounted === 'string' ? mounted : mounted.source]!.file;
  };

  test('has Postgres, and a Redis that keeps what it was given', () => {
    expect(services['postgres']!.image).toMatch(/^postgres:/);
    expect(services['redis']!.command!.join(' ')).toMatch(
      /--aclfile .*--appendonly yes .*--maxmemory-policy noeviction/,
    );
  });

  test('publishes on this machine only', () => {
    const published = Object.values(services).flatMap(({ ports = [] }) => ports);
    expect(published.length).toBe(SERVICES.length + 3); // the console, Postgres, Redis
    for (const port of published) expect(port).toMatch(/^127\.0\.0\.1:/);
  });

  test('runs the console, told only what it reads, and where the services are', () => {
    const known = environmentOf('console');
    const container = services['console']!;
    expect(container).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      build: { args: { APP: 'console' } },
    });
    const environment = container.environment!;
    expect(Object.keys(environment).filter((variable) => !known.has(variable))).toEqual([]);
    const required = [...known].filter(([, variable]) => variable.required).map(([variable]) => variable);
    expect(required.filter((variable) => !(variable in environment))).toEqual([]);
    expect(readText('docker/make-secrets.sh')).toContain(
      `${fileOf(container, environment['CONSOLE_KEY']!)} ]`,
    );
    const addresses = SERVICES.map((service) => `${service}=http://${service}:3000`);
    expect(environment['SERVICE_URLS']!.split(',').sort()).toEqual(addresses.sort());
  });

  test.each(SERVICES)('runs %s as http, worker and migration, told only what it reads', (service) => {
    const known = environmentOf(service);
    const roles = { [service]: 'http', [`${service}-worker`]: 'worker', [`${service}-migrate`]: undefined };
    for (const [name, role] of Object.entries(roles)) {
      const container = services[name]!;
      expect(container).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        build: { args: { APP: service } },
      });
      const environment = container.environment!;
      expect(environment['ROLE']).toBe(role);
      expect(container.command).toEqual(role === undefined ? ['cli/main.mjs', 'migrate'] : undefined);
      expect(Object.keys(environment).filter((variable) => !known.has(variable))).toEqual([]);
      const required = [...known].filter(([, variable]) => variable.required).map(([variable]) => variable);
      expect(required.filter((variable) => !(variable in environment))).toEqual([]);
      for (const key of ['DATA_KEY', 'QUEUE_KEY'] as const) {
        expect(secretReference.safeParse(environment[key]).success).toBe(true);
        expect(readText('docker/make-secrets.sh')).toContain(`${fileOf(container, environment[key]!)} ]`);
      }
      // Its own keys and its own user, and nobody else's.
      expect(fileOf(container, environment['MESSAGE_KEYS']!)).toBe(`secrets/message-keys-${service}`);
      expect(fileOf(container, environment['QUEUE_URL']!)).toBe(`secrets/queue-url-${service}`);
      expect(environment['DATABASE_URL']).toContain(`/${service.replaceAll('-', '_')}`);
    }
  });
});
