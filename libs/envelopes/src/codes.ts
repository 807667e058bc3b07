// The one table of error codes: code -> status -> meaning, in the three dialects
// (docs/platform.md#refusals). Everything that sends, documents or tests an error reads it.

/**
 * One row: the HTTP status, the short title, the voice API's spelling, and the meaning in the
 * reference.
 */
export interface CodeRow {
  readonly status: number;
  readonly title: string;
  /** `error.code` of the voice API. Several flow-builder codes share one. */
  readonly voice: string;
  readonly meaning: string;
}

const rows = {
  invalid_request: {
    status: 400,
    title: 'Invalid request',
    voice: 'INVALID_REQUEST',
    meaning:
      'The request is malformed: the body is not JSON, a member is unknown or of the wrong type, a parameter is not accepted.',
  },
  unauthorized: {
    status: 401,
    title: 'Unauthorized',
    voice: 'UNAUTHORIZED',
    meaning: 'No valid credential was sent. One message for every reason.',
  },
  insufficient_scope: {
    status: 403,
    title: 'Insufficient scope',
    voice: 'INSUFFICIENT_SCOPE',
    meaning: 'The credential is valid but may not do this.',
  },
  not_for_end_users: {
    status: 403,
    title: 'Not for end users',
    voice: 'NOT_FOR_END_USERS',
    meaning:
      "The identity token is that of an end user, and this endpoint is not about the end user's own data.",
  },
  not_for_bound_keys: {
    status: 403,
    title: 'Not for bound keys',
    voice: 'NOT_FOR_BOUND_KEYS',
    meaning: 'The key is bound to bots, and this endpoint is not about what belongs to single bots.',
  },
  bot_not_of_key: {
    status: 403,
    title: 'Bot not of key',
    voice: 'BOT_NOT_OF_KEY',
    meaning: 'The key is bound to bots, and the request names, or leaves open, another one.',
  },
  organization_mismatch: {
    status: 403,
    title: 'Organization mismatch',
    voice: 'ORGANIZATION_MISMATCH',
    meaning: 'The request names an organization_id other than that of the credential.',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    voice: 'NOT_FOUND',
    meaning: 'The organisation of the credential has no such resource.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    voice: 'METHOD_NOT_ALLOWED',
    meaning: 'The path exists, but not with this method; `Allow` lists the allowed methods.',
  },
  request_timeout: {
    status: 408,
    title: 'Request timeout',
    voice: 'REQUEST_TIMEOUT',
    meaning: 'The body did not arrive within 30 seconds; the connection is closed.',
  },
  conflict: {
    status: 409,
    title: 'Conflict',
    voice: 'CONFLICT',
    meaning: 'The request contradicts the current state of the resource.',
  },
  flow_exists: {
    status: 409,
    title: 'Flow exists',
    voice: 'CONFLICT',
    meaning: 'A flow with this flow_id exists and its version 1 differs from the sent one.',
  },
  not_published: {
    status: 409,
    title: 'Not published',
    voice: 'CONFLICT',
    meaning: 'The product face executes published flows only, and this flow has no published version.',
  },
  idempotency_in_progress: {
    status: 409,
    title: 'Idempotent request in progress',
    voice: 'IDEMPOTENCY_IN_PROGRESS',
    meaning: 'A request with this Idempotency-Key is still running; repeat after Retry-After.',
  },
  position_outdated: {
    status: 410,
    title: 'Position outdated',
    voice: 'POSITION_OUTDATED',
    meaning:
      'The database was restored or failed over since the position. `next_after` is the position to go on from.',
  },
  idempotency_secret_gone: {
    status: 409,
    title: 'Idempotent answer gone',
    voice: 'IDEMPOTENCY_SECRET_GONE',
    meaning:
      'The answer to the first request with this Idempotency-Key showed a secret that was since revoked or replaced; it is not shown again.',
  },
  last_admin_key: {
    status: 409,
    title: 'Last admin key',
    voice: 'CONFLICT',
    meaning: 'It is the last key with the scope admin: rotate it, or issue another one first.',
  },
  conversation_deleted: {
    status: 409,
    title: 'Conversation deleted',
    voice: 'CONVERSATION_DELETED',
    meaning: 'The conversation was deleted; nothing more is stored for it.',
  },
  stale_version: {
    status: 412,
    title: 'Stale version',
    voice: 'PRECONDITION_FAILED',
    meaning: 'If-Match or base_version names a version that is not the latest.',
  },
  payload_too_large: {
    status: 413,
    title: 'Payload too large',
    voice: 'PAYLOAD_TOO_LARGE',
    meaning: 'The body, or a part with its own limit, is larger than accepted.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    voice: 'UNSUPPORTED_MEDIA_TYPE',
    meaning: 'The body is not sent as application/json in UTF-8, or is compressed.',
  },
  unprocessable: {
    status: 422,
    title: 'Unprocessable',
    voice: 'UNPROCESSABLE',
    meaning: 'A well-formed request that the domain refuses.',
  },
  conversation_too_large: {
    status: 422,
    title: 'Conversation too large',
    voice: 'CONVERSATION_TOO_LARGE',
    meaning: 'The conversation has as many turns, or bytes of turns, as its plan allows.',
  },
  flow_has_errors: {
    status: 422,
    title: 'Flow has errors',
    voice: 'UNPROCESSABLE',
    meaning: 'The definition has validation errors; `validation` lists them.',
  },
  unknown_node: {
    status: 422,
    title: 'Unknown node',
    voice: 'UNPROCESSABLE',
    meaning: 'current_node names a node that the executed version does not have.',
  },
  tool_result_mismatch: {
    status: 422,
    title: 'Tool result mismatch',
    voice: 'UNPROCESSABLE',
    meaning:
      'The turn lacks the `tool_result` of the call that the flow waits for, or has one without such a call; nothing changed.',
  },
  handoff_result_mismatch: {
    status: 422,
    title: 'Handoff result mismatch',
    voice: 'UNPROCESSABLE',
    meaning:
      'The turn lacks the `handoff_result` that the flow waits for, or has one that nothing waits for; nothing changed.',
  },
  turn_did_not_settle: {
    status: 422,
    title: 'Turn did not settle',
    voice: 'UNPROCESSABLE',
    meaning:
      'The turn visited more nodes than allowed without reaching a wait or a terminal node; nothing changed.',
  },
  turn_too_costly: {
    status: 422,
    title: 'Turn too costly',
    voice: 'UNPROCESSABLE',
    meaning:
      'The turn would have compared, searched, rendered or answered more than one turn may; `cost` says what, nothing changed.',
  },
  request_too_costly: {
    status: 422,
    title: 'Request too costly',
    voice: 'UNPROCESSABLE',
    meaning: 'The work took more time or memory than one request may; `cost` says which, nothing changed.',
  },
  limit_exceeded: {
    status: 422,
    title: 'Limit exceeded',
    voice: 'UNPROCESSABLE',
    meaning:
      'The content is larger than a named limit allows, or the organisation has as many as its plan allows.',
  },
  storage_full: {
    status: 422,
    title: 'Storage full',
    voice: 'STORAGE_FULL',
    meaning:
      'The organization stores as many bytes in this service as its plan allows. Deleting always works.',
  },
  idempotency_mismatch: {
    status: 422,
    title: 'Idempotency mismatch',
    voice: 'IDEMPOTENCY_MISMATCH',
    meaning: 'The Idempotency-Key was used before with another body.',
  },
  tests_failed: {
    status: 422,
    title: 'Tests failed',
    voice: 'UNPROCESSABLE',
    meaning: 'A stored test of the flow failed on the version to be published.',
  },
  rate_limited: {
    status: 429,
    title: 'Rate limited',
    voice: 'RATE_LIMITED',
    meaning: 'Too many requests; repeat after Retry-After.',
  },
  concurrency_limited: {
    status: 429,
    title: 'Concurrency limited',
    voice: 'CONCURRENCY_LIMITED',
    meaning: 'Too many requests of the organisation are in flight; repeat after Retry-After.',
  },
  internal: {
    status: 500,
    title: 'Internal error',
    voice: 'INTERNAL_ERROR',
    meaning: 'A bug of the service. The request_id finds it in the log.',
  },
  unavailable: {
    status: 503,
    title: 'Unavailable',
    voice: 'SERVICE_UNAVAILABLE',
    meaning:
      'The service cannot do it at the moment: the database is away, full or busy; repeat after Retry-After.',
  },
} as const satisfies Record<string, CodeRow>;

/** Every error code of Parley. */
export type Code = keyof typeof rows;

export const codes: Readonly<Record<Code, CodeRow>> = rows;
