// Identity tokens: a JWT of the operator's identity provider, verified with jose (platform §3). Off unless configured.
import { createPublicKey, createSecretKey, type KeyObject } from 'node:crypto';
import { createRemoteJWKSet, errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey, type JWTVerifyOptions } from 'jose';
import { z } from 'zod';
import { AppError } from '@parley/envelopes';
import { SCOPES, type Caller, type Scope } from '@parley/http';
import type { Secrets } from '@parley/runtime';

/** Signatures that only the identity provider can make. HS256 is accepted with a shared secret only, in development. */
const ASYMMETRIC = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];
/** How far two well-kept clocks may be apart, in seconds. */
const CLOCK_TOLERANCE_SECONDS = 5;
const JWKS_TIMEOUT_MS = 5_000;

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
    const keys = createRemoteJWKSet(new URL(config.IDENTITY_JWKS_URL), { timeoutDuration: JWKS_TIMEOUT_MS });
    return verifierWith(keys, options(ASYMMETRIC));
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
    try {
      const dated = { ...options, currentDate: new Date(nowMs) };
      const { payload } = typeof key === 'function' ? await jwtVerify(token, key, dated) : await jwtVerify(token, key, dated);
      return callerOf(payload);
    } catch (error) {
      if (isRefusedToken(error)) return null;
      throw new AppError('unavailable', 'the identity provider cannot be reached at the moment', {
        headers: { 'retry-after': '2' },
        cause: error,
      });
    }
  };
}

/** Everything that jose says of a token is the token's fault; only fetching the JWKS can fail for another reason. */
function isRefusedToken(error: unknown): boolean {
  if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid) return false;
  return error instanceof errors.JOSEError && error.code !== 'ERR_JOSE_GENERIC';
}

function callerOf(payload: JWTPayload): Caller | null {
  const parsed = claims.safeParse(payload);
  if (!parsed.success) return null;
  const { organization_id: organizationId, sub, scope } = parsed.data;
  const scopes = new Set(scope.split(' ').filter((word): word is Scope => (SCOPES as readonly string[]).includes(word)));
  const endUser = sub !== undefined && !scopes.has('admin') ? { endUser: sub } : {};
  return { organizationId, kind: 'identity', principal: sub ?? 'identity', scopes, ...endUser };
}
