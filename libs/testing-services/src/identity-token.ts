// Identity tokens of the tests' identity provider.
import { SignJWT } from 'jose';

/**
 * The secret that signs test identity tokens; iss and aud are `test-issuer` and `test-audience`.
 */
export const TEST_IDENTITY_SECRET = 'a shared secret of the tests, at least 32 bytes long';

export interface Claims {
  readonly organization_id?: string;
  readonly sub?: string;
  /** Space-separated. */
  readonly scope?: string;
}

/** `expires`: from now, as `5m` or `-1m`. */
export function identityToken(claims: Claims, expires = '5m'): Promise<string> {
  return new SignJWT({ ...claims })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer('test-issuer')
    .setAudience('test-audience')
    .setExpirationTime(expires)
    .sign(Buffer.from(TEST_IDENTITY_SECRET));
}
