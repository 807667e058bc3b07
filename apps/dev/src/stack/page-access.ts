// What lets pages of a developer call the services: origins, and identity tokens signed with a
// secret of the stack, unless the environment names an identity provider.
import {
  END_USER_SCOPES,
  mintIdentityToken,
  TOKEN_LIFETIME_SECONDS,
  type DevelopmentIdentity,
} from '@parley/auth';
import { createSecrets, systemClock } from '@parley/server/runtime';
import type { Stack, StackOptions } from './start-stack.ts';

/** One of them turns identity tokens on (docs/platform.md#credentials). */
const SOURCES = ['IDENTITY_JWKS_URL', 'IDENTITY_PUBLIC_KEY', 'IDENTITY_SHARED_SECRET'];

/** @param secret a reference to the shared secret */
export function findIdentity(
  { env, serviceEnv = {} }: Pick<StackOptions, 'env' | 'serviceEnv'>,
  secret: string,
): DevelopmentIdentity | undefined {
  const given = [env, ...Object.values(serviceEnv)];
  if (given.some((variables) => SOURCES.some((name) => variables[name]))) return undefined;
  return {
    issuer: env['IDENTITY_ISSUER'] || 'parley-development',
    audience: env['IDENTITY_AUDIENCE'] || 'parley',
    secret,
  };
}

/** `vite` and `vite preview` listen here. */
const VITE_ORIGINS = [5173, 4173]
  .flatMap((port) => [`http://localhost:${port}`, `http://127.0.0.1:${port}`])
  .join(',');

export function pageEnvironment(
  env: StackOptions['env'],
  identity: DevelopmentIdentity | undefined,
): Record<string, string> {
  return {
    CORS_ORIGINS: env['CORS_ORIGINS'] ?? VITE_ORIGINS,
    ...(identity && {
      IDENTITY_SHARED_SECRET: identity.secret,
      IDENTITY_ISSUER: identity.issuer,
      IDENTITY_AUDIENCE: identity.audience,
    }),
  };
}

/** A token of an end user; undefined where an identity provider issues tokens. */
export async function mintToken(
  { identity, organizationId }: Pick<Stack, 'identity' | 'organizationId'>,
  userId: string,
): Promise<string | undefined> {
  if (!identity) return undefined;
  const secret = await createSecrets({ env: {}, clock: systemClock }).resolve(identity.secret);
  const claims = {
    organizationId,
    userId,
    scopes: END_USER_SCOPES,
    lifetimeSeconds: TOKEN_LIFETIME_SECONDS,
  };
  return mintIdentityToken(identity, secret.reveal(), claims, systemClock());
}
