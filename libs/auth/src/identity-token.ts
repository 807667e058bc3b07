// Identity tokens: a JWT of the operator's identity provider, verified with jose
// (docs/platform.md#credentials). Off unless configured.
import { createPublicKey, createSecretKey, type KeyObject } from 'node:crypto';
import { jwtVerify, type JWTPayload, type JWTVerifyGetKey, type JWTVerifyOptions } from 'jose';
import { AppError } from '@parley/envelopes';
import type { Caller } from '@parley/server/http';
import { lacksClaims, USUAL_CLAIMS, type IdentityClaims, type Secrets } from '@parley/server/runtime';
import { splitTokens, toIdentityCaller } from './identity-claims.ts';
import { createUserinfo, type ReadUserinfo } from './userinfo.ts';
import { createRemoteKeys, type RemoteKeysOptions } from './remote-keys.ts';

/**
 * Signatures that only the identity provider can create. HS256 is for a shared secret in
 * development.
 */
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
/** Maximum difference of two clocks, in seconds. The console has the same. */
const CLOCK_TOLERANCE_SECONDS = 30;
/** A token cannot be revoked, so it must expire within a day. */
const LIFETIME_SECONDS_MAX = 24 * 3600;
/** Known keys serve for this long while IDENTITY_JWKS_URL is unreachable. */
const KEYS_AGE_MAX_MS = 24 * 3_600_000;

/** The part of the configuration that this reads. */
export interface IdentityConfig {
  readonly IDENTITY_JWKS_URL?: string | undefined;
  readonly IDENTITY_PUBLIC_KEY?: string | undefined;
  readonly IDENTITY_SHARED_SECRET?: string | undefined;
  readonly IDENTITY_ISSUER?: string | undefined;
  readonly IDENTITY_AUDIENCE?: readonly string[] | undefined;
  readonly IDENTITY_CLAIMS?: IdentityClaims | undefined;
}

/**
 * The caller of a token; null when it is invalid, or does not list the organisation that the
 * request names. @throws AppError unavailable when the JWKS is away.
 */
export type VerifyIdentityToken = (
  token: string,
  nowMs: number,
  organization?: string,
) => Promise<Caller | null>;

/** The configured verifier; null when identity tokens are off. */
export async function createIdentityVerifier(
  config: IdentityConfig,
  secrets: Secrets,
  { service, ...watch }: Pick<RemoteKeysOptions, 'clock' | 'log' | 'count'> & { readonly service: string },
): Promise<VerifyIdentityToken | null> {
  const audience = [...(config.IDENTITY_AUDIENCE ?? [])];
  const claims = config.IDENTITY_CLAIMS ?? USUAL_CLAIMS;
  const { userinfo: url } = claims;
  const userinfo = url === undefined ? null : createUserinfo({ url, log: watch.log });
  const rules = { audience, claims, service, userinfo };
  const options = (algorithms: string[]): JWTVerifyOptions => ({
    algorithms,
    issuer: config.IDENTITY_ISSUER ?? [],
    audience,
    requiredClaims: ['exp'],
    clockTolerance: CLOCK_TOLERANCE_SECONDS,
  });
  if (config.IDENTITY_JWKS_URL) {
    const url = new URL(config.IDENTITY_JWKS_URL);
    const keys = createRemoteKeys({ url, ageMaxMs: KEYS_AGE_MAX_MS, ...watch });
    return createVerifier(keys, options(ASYMMETRIC), rules);
  }
  if (config.IDENTITY_PUBLIC_KEY) {
    const key = createPublicKey((await secrets.resolve(config.IDENTITY_PUBLIC_KEY)).reveal());
    return createVerifier(key, options(ASYMMETRIC), rules);
  }
  if (config.IDENTITY_SHARED_SECRET) {
    const secret = (await secrets.resolve(config.IDENTITY_SHARED_SECRET)).reveal();
    return createVerifier(createSecretKey(Buffer.from(secret, 'utf8')), options(['HS256']), rules);
  }
  return null;
}

interface Rules {
  readonly audience: readonly string[];
  readonly claims: IdentityClaims;
  readonly service: string;
  readonly userinfo: ReadUserinfo | null;
}

function createVerifier(
  key: KeyObject | JWTVerifyGetKey,
  options: JWTVerifyOptions,
  rules: Rules,
): VerifyIdentityToken {
  return async (credential, nowMs, organization) => {
    const { identityToken: token, accessToken } = splitTokens(credential);
    const dated = { ...options, currentDate: new Date(nowMs) };
    try {
      const verified =
        typeof key === 'function' ? jwtVerify(token, key, dated) : jwtVerify(token, key, dated);
      const { payload, protectedHeader } = await verified;
      if (!isForUs(payload, protectedHeader.typ, rules.audience)) return null;
      if (!hasValidLifetime(payload, nowMs / 1000)) return null;
      const claims = await completeClaims(payload, accessToken, rules);
      return toIdentityCaller(claims, rules.claims, rules.service, organization);
    } catch (error) {
      if (error instanceof AppError) throw error;
      // any other error of jose, including a TypeError for a key of another kind, is the token's
      // fault
      return null;
    }
  };
}

/** What the token says of organisation and rights, else what userinfo says. */
async function completeClaims(
  payload: JWTPayload,
  accessToken: string,
  { claims, userinfo }: Rules,
): Promise<JWTPayload> {
  if (!userinfo || accessToken === '' || payload.sub === undefined) return payload;
  if (!lacksClaims(claims, payload)) return payload;
  const more = (await userinfo(accessToken, payload.sub)) ?? {};
  const { organization, scope, groups } = claims;
  const names = [organization, scope, groups].filter((name) => payload[name] === undefined);
  return { ...payload, ...Object.fromEntries(names.map((name) => [name, more[name]])) };
}

/** `exp` has been checked. Without `iat` the lifetime counts from now. */
function hasValidLifetime({ iat, exp = Infinity }: JWTPayload, now: number): boolean {
  const begun = iat ?? now;
  return begun <= now + CLOCK_TOLERANCE_SECONDS && exp - begun <= LIFETIME_SECONDS_MAX;
}

/**
 * Another kind of token (`typ`) is not an identity, and one that was issued to another client
 * (`azp` of OpenID Connect Core, section 3.1.3.7) is not for us.
 */
function isForUs({ azp }: JWTPayload, type: string | undefined, audience: readonly string[]): boolean {
  if (type !== undefined && type.toUpperCase() !== 'JWT') return false;
  return azp === undefined || audience.includes(azp as string);
}
