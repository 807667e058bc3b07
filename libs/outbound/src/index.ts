// Requests to customers' addresses: one address policy, one guarded connector, two HTTP clients.
// See README.md.
export { checkAddress, createAddressPolicy } from './address-policy.ts';
export { findHeaderProblem, type Call, type Method } from './call.ts';
export { flowSecretsEnv, outboundEnv, outboundPolicy, outboundRules } from './config.ts';
export { createOutbound, type Outbound, type OutboundOptions } from './create-outbound.ts';
export { ANSWER_BYTES_MAX, type Outcome, type Trace } from './exchange.ts';
export { ERROR_CLASSES, isBlockedAddress, toFailure } from './failure.ts';
export type { RelayOutcome } from './relay.ts';
export type { Resolve } from './resolve.ts';
export { isSecretReference, parseSecretName, resolveOwnSecret } from './secret-headers.ts';
export { parseRetryAfterMs } from './retry-after.ts';
