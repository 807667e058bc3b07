// Why a model call brought no usable answer: one table of reasons for the log, traces, metrics,
// /health and the gateway check.

/** Problem and remedy, for people. */
export const failureTexts = {
  timeout: 'The provider did not answer in time. Use a faster model, or raise CLASSIFIER_TIMEOUT.',
  connection: 'The provider cannot be reached. Check GATEWAY_URL, DNS and the firewall.',
  key_unavailable: 'The secret of the key cannot be read. Check the reference in GATEWAY_KEY.',
  unauthorized: 'The provider refuses the key (401 or 403). Give GATEWAY_KEY a valid one.',
  quota_exceeded: 'The quota or the credit of the account is used up. Raise it at the provider.',
  rate_limited: 'The provider answers 429: too many requests. Raise the rate limit of the account.',
  model_not_found: 'The provider does not know the model. Check the name, and that the key may use it.',
  unsupported_parameter: 'The provider refuses a parameter that the request needs. Use another model.',
  http_status: 'The provider answers with an error. Its status and its code are in the log.',
  too_large: 'The answer is larger than 256 KiB. Check that GATEWAY_URL is an API for chat completions.',
  malformed: 'The answer is no chat completion. Check that GATEWAY_URL ends in `/v1` or its equivalent.',
  refused: 'The model or a content filter refused to answer. Check the texts of the flow and the filter.',
  truncated: 'The answer was cut off. Use a model that writes less before it answers.',
  nonsense: 'The answer holds no JSON of the requested shape. Use a model with structured output.',
  unknown_branch: 'The model chose a branch that was not offered. Use a stronger model.',
} as const;

export type GatewayFailure = keyof typeof failureTexts;
