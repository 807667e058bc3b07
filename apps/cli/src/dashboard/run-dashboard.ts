// `parley dashboard`: the process that serves dashboard.ts. It needs a password to start.
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { z } from 'zod';
import { listen } from '@parley/server/http';
import { openEngine, type Service } from '@parley/jobs';
import {
  createSecrets,
  platformEnv,
  runService,
  secretReference,
  shippedPath,
  systemClock,
  type Environment,
} from '@parley/server/runtime';
import { createDashboard } from './dashboard.ts';
import { PASSWORD_LENGTH_MIN, type Passwords, type Role } from './operator-access.ts';

const { PORT, LOG_LEVEL, QUEUE_URL, QUEUE_PREFIX, VAULT_ADDR, VAULT_TOKEN } = platformEnv;

/** The environment of the dashboard. `npm run docs` writes the table in README.md from it. */
export const dashboardConfig = z
  .object({
    HOST: z.string().default('127.0.0.1').describe('Address to listen on; `0.0.0.0` in a container'),
    PORT: PORT.describe('Port to listen on'),
    LOG_LEVEL,
    QUEUE_URL,
    QUEUE_PREFIX,
    VAULT_ADDR,
    VAULT_TOKEN,
    OPERATOR_PASSWORD: secretReference
      .optional()
      .describe('Password of the user `operator`, who may retry, promote, remove and pause'),
    OPERATOR_READONLY_PASSWORD: secretReference
      .optional()
      .describe('Password of the user `viewer`, who only reads and sees no payload'),
  })
  .superRefine((config, context) => {
    const problem = (name: string, message: string) =>
      context.addIssue({ code: 'custom', path: [name], message });
    if (!config.OPERATOR_PASSWORD && !config.OPERATOR_READONLY_PASSWORD) {
      problem('OPERATOR_PASSWORD', 'set OPERATOR_PASSWORD, OPERATOR_READONLY_PASSWORD or both');
    }
  });

export async function runDashboard(service: Service, env: Environment): Promise<void> {
  await runService('queue-dashboard', dashboardConfig, env, async ({ config, log, life }) => {
    const { VAULT_ADDR: url, VAULT_TOKEN: token } = config;
    const secrets = createSecrets({
      env,
      clock: systemClock,
      vault: url && token ? { url, token } : undefined,
    });
    const references: Partial<Record<Role, string | undefined>> = {
      operator: config.OPERATOR_PASSWORD,
      viewer: config.OPERATOR_READONLY_PASSWORD,
    };
    const passwords = async (): Promise<Passwords> => {
      const found = Object.entries(references).map(async ([role, reference]) =>
        reference === undefined ? [] : [[role, (await secrets.resolve(reference)).reveal()]],
      );
      return Object.fromEntries((await Promise.all(found)).flat()) as Passwords;
    };
    for (const [role, password] of Object.entries(await passwords())) {
      if (password.length < PASSWORD_LENGTH_MIN) {
        throw new Error(`the password of "${role}" is shorter than ${PASSWORD_LENGTH_MIN} characters`);
      }
    }
    const engine = openEngine({
      url: await secrets.resolveUrl(config.QUEUE_URL),
      prefix: config.QUEUE_PREFIX,
      log,
    });
    life.onStop('queues', () => engine.close());
    const app = createDashboard({ service, engine, passwords, uiFolder: uiFolder(), log });
    const server = await listen(app, { host: config.HOST, port: config.PORT });
    life.onStop('http', () => server.close());
    log.info({ url: server.url, queues_of: service }, 'service.ready');
  });
}

/** Bull Board's page. */
export function uiFolder(): string {
  return shippedPath('bull-board-ui', () => {
    const api = createRequire(import.meta.url).resolve('@bull-board/api');
    return dirname(createRequire(api).resolve('@bull-board/ui/package.json'));
  });
}
