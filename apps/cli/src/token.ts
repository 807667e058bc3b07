// `parley token mint`: an identity token for development, in place of an identity provider
// (docs/platform.md#credentials).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { InvalidArgumentError, Option, type Command } from 'commander';
import {
  END_USER_SCOPES,
  mintIdentityToken,
  TOKEN_LIFETIME_SECONDS,
  type DevelopmentIdentity,
} from '@parley/auth';
import { SCOPES } from '@parley/server/http';
import { systemClock, type Environment } from '@parley/server/runtime';
import { parseScopes } from './keys.ts';
import type { Output } from './program.ts';
import { createSecretReader, DEV_FOLDER } from './services.ts';

const HOURS_MAX = 24;

interface MintOptions {
  readonly user: string;
  readonly org: string;
  readonly scopes: string;
  readonly hours: number;
}

export function addToken(parley: Command, env: Environment, print: Output['print']): void {
  parley
    .command('token')
    .description('Identity tokens for development')
    .command('mint')
    .description('Print an identity token of a user, which the services of a development stack accept')
    .requiredOption('--user <id>', 'the user: `sub` of the token')
    .option('--org <id>', 'the organisation', 'demo')
    .addOption(
      new Option('--scopes <list>', `comma-separated: ${SCOPES.join(', ')}`).default(
        END_USER_SCOPES.join(','),
      ),
    )
    .addOption(
      new Option('--hours <number>', `lifetime, at most ${HOURS_MAX}`)
        .default(TOKEN_LIFETIME_SECONDS / 3_600)
        .argParser(readHours),
    )
    .action(async ({ user, org, scopes, hours }: MintOptions) => {
      const identity = findIdentity(env);
      const secret = await createSecretReader(env).resolve(identity.secret);
      const claims = {
        organizationId: org,
        userId: user,
        scopes: parseScopes(scopes),
        lifetimeSeconds: Math.round(hours * 3_600),
      };
      print(await mintIdentityToken(identity, secret.reveal(), claims, systemClock()));
    });
}

function readHours(text: string): number {
  const hours = Number(text);
  if (hours > 0 && hours <= HOURS_MAX) return hours;
  throw new InvalidArgumentError(`must be above 0 and at most ${HOURS_MAX}.`);
}

/** The variables of the services, else the running development stack. */
function findIdentity(env: Environment): DevelopmentIdentity {
  const { IDENTITY_SHARED_SECRET: secret, IDENTITY_ISSUER: issuer, IDENTITY_AUDIENCE: audience } = env;
  const [first] = (audience ?? '').split(',').map((one) => one.trim());
  if (secret && issuer && first) return { secret, issuer, audience: first };
  const found = findDevelopmentIdentity();
  if (found) return found;
  throw new Error(
    'no shared secret found: set IDENTITY_SHARED_SECRET, IDENTITY_ISSUER and IDENTITY_AUDIENCE to the values of the services, ' +
      'or run `npm start` first. With an identity provider, only the provider issues tokens',
  );
}

function findDevelopmentIdentity(): DevelopmentIdentity | undefined {
  try {
    const file = readFileSync(join(DEV_FOLDER, 'dev.json'), 'utf8');
    return (JSON.parse(file) as { identity?: DevelopmentIdentity }).identity;
  } catch {
    return undefined; // no stack is running here
  }
}
