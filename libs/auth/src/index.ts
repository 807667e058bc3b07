// Who may call: product API keys and identity tokens.
export { isApiKey, generateApiKey, type Product } from './api-key.ts';
export {
  COUNTED_KEYS,
  endApiKeys,
  issueApiKey,
  listApiKeys,
  revokeApiKey,
  type ApiKeyRecord,
  type IssueApiKey,
} from './api-keys.ts';
export { createAuthenticator, type AuthenticatorOptions } from './authenticate.ts';
export { createIdentityVerifier, type IdentityConfig, type VerifyIdentityToken } from './identity-token.ts';
export {
  END_USER_SCOPES,
  mintIdentityToken,
  TOKEN_LIFETIME_SECONDS,
  type DevelopmentIdentity,
} from './mint-token.ts';
export { createRefusals, rateLimited } from './refusals.ts';
export { keyEndpoints } from './key-endpoints.ts';
