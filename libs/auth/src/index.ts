// Who may call: product API keys and identity tokens.
export { isApiKey, generateApiKey, PRODUCTS, type KeyEnvironment, type Product } from './api-key.ts';
export {
  API_KEYS_CHANNEL,
  COUNTED_KEYS,
  issueApiKey,
  listApiKeys,
  revokeApiKey,
  type ApiKeyRecord,
  type IssueApiKey,
} from './api-keys.ts';
export { createAuthenticator, type AuthenticatorOptions } from './authenticate.ts';
export { createIdentityVerifier, type IdentityConfig, type VerifyIdentityToken } from './identity-token.ts';
export { keyEndpoints, type KeyEndpointsOptions } from './key-endpoints.ts';
