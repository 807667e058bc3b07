// Express plumbing: an endpoint table in, a served API out.
export { createHttpApp, type HttpAppOptions, type PageFile } from './app.ts';
export { hasScope, reachesBot, SCOPES, type Caller, type Reach, type Scope } from './caller.ts';
export { findRefusedJson, PROBLEMS_MAX as BODY_PROBLEMS_MAX } from './body/refused-json.ts';
export type { CredentialSource, OwnCredential } from './credential.ts';
export {
  creates,
  createsAlone,
  del,
  get,
  patch,
  post,
  put,
  Reply,
  type Endpoint,
  type EndpointTransaction,
  type Face,
  type LargeInput,
} from './endpoint.ts';
export { deleteExpiredIdempotencyKeys } from './idempotency.ts';
export type { Admission, Charge, Limit } from './limit.ts';
export { listen, type Listening } from './listen.ts';
export { toNoPlaceError, SOON } from './no-place.ts';
export { createOrReplace } from './own-ids.ts';
export { type ApiInfo, type WebhookDescription, type FaceTable } from './openapi.ts';
export type { Authenticator } from './pipeline.ts';
export { BODY_BYTES_MAX, readJsonBody, type BodyDoubts } from './body/read-body.ts';
export { judgeBody, parsePart, removeOrganization } from './parse-request.ts';
export { isPortalToken, PORTAL_TOKEN } from './portal-token.ts';
export type { RequestContext } from './request-context.ts';
export { toAppError } from './refusal.ts';
export { StreamReply, type OpenStream } from './stream.ts';
