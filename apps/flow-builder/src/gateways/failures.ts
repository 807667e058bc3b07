// Why a model call brought no usable answer: one table of reasons for the log, traces, metrics,
// /health and the gateway check.

/** Problem and remedy, for people. */
export const failureTexts = {
  timeout: 'The provider did not answer in time. Use a faster model, or raise CLASSIFIER_TIMEOUT.',
  connection: 'The provider cannot be reached. Check its address, DNS and the firewall.',
  blocked_address:
    'Requests may not be sent to the address of the provider. Use a public https address, or have the operator add it to OUTBOUND_ALLOW.',
  key_unavailable:
    'The key cannot be read. Check the reference in GATEWAY_KEY, or set the key of the model settings again.',
  unauthorized: 'The provider refuses the key (401 or 403). Set a valid one.',
  budget_used_up:
    'The monthly budget of the organisation is used up. Raise it in the model settings, or wait for the next month.',
  quota_exceeded: 'The quota or the credit of the account is used up. Raise it at the provider.',
  rate_limited: 'The provider answers 429: too many requests. Raise the rate limit of the account.',
  model_not_found:
    'The provider does not know the model, or the flow names one that the model settings do not list. Check the name, and that the key may use it.',
  unsupported_parameter: 'The provider refuses a parameter that the request needs. Use another model.',
  http_status: 'The provider answers with an error. Its status and its code are in the log.',
  too_large: 'The answer is larger than 256 KiB. Check that the address is an API for chat completions.',
  malformed: 'The answer is no chat completion. Check that the address ends in `/v1` or its equivalent.',
  refused: 'The model or a content filter refused to answer. Check the texts of the flow and the filter.',
  truncated: 'The answer was cut off. Use a model that writes less before it answers.',
  nonsense: 'The answer holds no JSON of the requested shape. Use a model with structured output.',
  unknown_branch: 'The model chose a branch that was not offered. Use a stronger model.',
} as const;

export type GatewayFailure = keyof typeof failureTexts;

/** Another provider may do better. The others are about the text, the model or the budget. */
const failuresOfProvider: ReadonlySet<GatewayFailure> = new Set<GatewayFailure>([
  'timeout',
  'connection',
  'blocked_address',
  'key_unavailable',
  'unauthorized',
  'quota_exceeded',
  'rate_limited',
  'model_not_found',
  'unsupported_parameter',
  'http_status',
  'too_large',
  'malformed',
]);

export const isFailureOfProvider = (failure: GatewayFailure): boolean => failuresOfProvider.has(failure);
