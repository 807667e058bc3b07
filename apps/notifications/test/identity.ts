// Identity tokens as the tests' identity provider makes them.
import { SignJWT } from 'jose';
import { TEST_IDENTITY_SECRET } from '@parley/app-testkit';

export interface Claims {
  readonly organization_id: string;
  readonly sub: string;
  /** Space-separated. */
  readonly scope: string;
}

export function identityToken(claims: Claims): Promise<string> {
  return new SignJWT({ ...claims })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer('test-issuer')
    .setAudience('test-audience')
    .setExpirationTime('5m')
    .sign(Buffer.from(TEST_IDENTITY_SECRET));
}
