// Identity tokens: a JWT of the operator's identity provider, verified with jose (docs/platform.md#credentials). Off unless configured.
import { createPublicKey, createSecretKey, type KeyObject } from 'node:crypto';
import {
  createRemoteJWKSet,
  errors,
  jwtVerify,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
} from 'jose';
import { z } from 'zod';
import { AppError } from '@parley/envelopes';
import { refusedIn, SCOPES, type Caller, type Scope } from '@parley/http';
import type { Secrets } from '@parley/runtime';

/** Signatures that only the identity provider can make. HS256 is accepted with a shared secret only, in development. */
const ASYMMETRIC = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
/** How far two well-kept clocks may be apart, in seconds. */
const CLOCK_TOLERANCE_SECONDS = 5;
const JWKS_TIMEOUT_MS = 5_000;
/** How long a caller should wait while the identity provider is away. */
const IDENTITY_RETRY_SECONDS = '2';

/** The part of the configuration that this reads. */
export interface IdentityConfig {
  readonly IDENTITY_JWKS_URL?: string | undefined;
  readonly IDENTITY_PUBLIC_KEY?: string | undefined;
  readonly IDENTITY_SHARED_SECRET?: string | undefined;
  readonly IDENTITY_ISSUER?: string | undefined;
  readonly IDENTITY_AUDIENCE?: string | undefined;
}

/** Gives the caller of a token, or null when it is not valid. @throws AppError unavailable when the JWKS is away. */
export type VerifyIdentityToken = (token: string, nowMs: number) => Promise<Caller | null>;

const claims = z.object({
  organization_id: z.string().min(1).max(128),
  sub: z.string().min(1).max(255).optional(),
  scope: z.string().default(''),
});

/** The verifier that the configuration asks for, or null when identity tokens are off. */
export async function createIdentityVerifier(
  config: IdentityConfig,
  secrets: Secrets,
): Promise<VerifyIdentityToken | null> {
  const options = (algorithms: string[]): JWTVerifyOptions => ({
    algorithms,
    issuer: config.IDENTITY_ISSUER ?? [],
    audience: config.IDENTITY_AUDIENCE ?? [],
    requiredClaims: ['exp'],
    clockTolerance: CLOCK_TOLERANCE_SECONDS,
  });
  if (config.IDENTITY_JWKS_URL) {
    return verifierWith(remoteKeys(new URL(config.IDENTITY_JWKS_URL)), options(ASYMMETRIC));
  }
  if (config.IDENTITY_PUBLIC_KEY) {
    const key = createPublicKey((await secrets.resolve(config.IDENTITY_PUBLIC_KEY)).reveal());
    return verifierWith(key, options(ASYMMETRIC));
  }
  if (config.IDENTITY_SHARED_SECRET) {
    const secret = (await secrets.resolve(config.IDENTITY_SHARED_SECRET)).reveal();
    return verifierWith(createSecretKey(Buffer.from(secret, 'utf8')), options(['HS256']));
  }
  return null;
}

function verifierWith(key: KeyObject | JWTVerifyGetKey, options: JWTVerifyOptions): VerifyIdentityToken {
  return async (token, nowMs) => {
    const dated = { ...options, currentDate: new Date(nowMs) };
    try {
      const verified =
        typeof key === 'function' ? jwtVerify(token, key, dated) : jwtVerify(token, key, dated);
      return callerOf((await verified).payload);
    } catch (error) {
      if (error instanceof AppError) throw error;
      return null; // whatever else jose throws, a TypeError for a key of another kind included, is the token's fault
    }
  };
}

/** Tells "no such key" (the token's fault) from "the keys could not be had" (ours, for the moment). */
function remoteKeys(url: URL): JWTVerifyGetKey {
  const keys = createRemoteJWKSet(url, { timeoutDuration: JWKS_TIMEOUT_MS });
  return async (header, token) => {
    try {
      return await keys(header, token);
    } catch (error) {
      if (isRefusedToken(error)) throw error;
      throw new AppError('unavailable', 'the identity provider cannot be reached at the moment', {
        headers: { 'retry-after': IDENTITY_RETRY_SECONDS },
        cause: error,
      });
    }
  };
}

/** What jose says of a token has a code of its own; fetching the JWKS fails with a generic one, or with none. */
function isRefusedToken(error: unknown): boolean {
  if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid) return false;
  return error instanceof errors.JOSEError && error.code !== 'ERR_JOSE_GENERIC';
}

function callerOf(payload: JWTPayload): Caller | null {
  const parsed = claims.safeParse(payload);
  // What cannot be stored (NUL, half a surrogate pair) names nobody: it would fail in the first query that carries it.
  if (!parsed.success || refusedIn(parsed.data).length > 0) return null;
  const { organization_id: organizationId, sub, scope } = parsed.data;
  const scopes = new Set(
    scope.split(' ').filter((word): word is Scope => (SCOPES as readonly string[]).includes(word)),
  );
  const subject = sub === undefined ? {} : { subject: sub };
  const endUser = sub !== undefined && !scopes.has('admin') ? { endUser: sub } : {};
  return { organizationId, kind: 'identity', principal: sub ?? 'identity', scopes, ...subject, ...endUser };
}
