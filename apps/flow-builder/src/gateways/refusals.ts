// Reads the refusal of a provider: its class, and the member of the request that it does not take.
// Shapes and words come from the documentation and the reports named at test/gateways/refusals.ts.
import type { GatewayFailure } from './failures.ts';
import type { OptionalMember } from './known-providers.ts';
import { asObject, parseJson, type JsonObject } from './outside-json.ts';

export interface Refusal {
  readonly failure: GatewayFailure;
  /** The provider's name of the error, such as `model_not_found`. Safe to log. */
  readonly code: string | undefined;
  /** The member to leave out next time. */
  readonly unsupported: OptionalMember | undefined;
}

/** `sent`: the optional members of the refused request. */
export function readRefusal(status: number, body: string, sent: readonly OptionalMember[]): Refusal {
  const error = readError(body);
  const message = textOf(error['message']);
  const code = readCode(error);
  const unsupported = readUnsupported(status, error, message, sent);
  return { failure: classify(status, code, message, error, unsupported), code, unsupported };
}

function classify(
  status: number,
  code: string | undefined,
  message: string,
  error: JsonObject,
  unsupported: OptionalMember | undefined,
): GatewayFailure {
  const names = [code, textOf(error['type']), textOf(error['status']), readReason(error)].join(' ');
  if (/insufficient_quota|budget_exceeded|billing_error/.test(names) || status === 402)
    return 'quota_exceeded';
  if (/ExceededBudget|Budget has been exceeded/.test(message)) return 'quota_exceeded';
  if (status === 401 || status === 403 || /API_KEY_INVALID|invalid_api_key/.test(names))
    return 'unauthorized';
  if (status === 429) return 'rate_limited';
  if (/content_filter|content_policy_violation/.test(names)) return 'refused';
  if (/model_not_found|DeploymentNotFound/.test(names)) return 'model_not_found';
  if (status === 404 && /model/i.test(message)) return 'model_not_found';
  if (unsupported !== undefined || /unsupported_(?:parameter|value)/.test(names))
    return 'unsupported_parameter';
  return 'http_status';
}

/** OpenAI: `{error}`. Gemini: `[{error}]`. vLLM before 0.10: the members without `error`. */
function readError(body: string): JsonObject {
  const parsed = parseJson(body);
  const outer = asObject(Array.isArray(parsed) ? (parsed as unknown[])[0] : parsed) ?? {};
  return asObject(outer['error']) ?? outer;
}

/** Google's name of the reason is in the details. */
function readReason({ details }: JsonObject): string {
  if (!Array.isArray(details)) return '';
  return (details as unknown[]).map((detail) => textOf(asObject(detail)?.['reason'])).join(' ');
}

const refusalWords =
  /not support|n't support|unsupported|unavailable|deprecated|unknown|unrecognized|not permitted|only the default/i;

function readUnsupported(
  status: number,
  { param, code }: JsonObject,
  message: string,
  sent: readonly OptionalMember[],
): OptionalMember | undefined {
  if (status !== 400 && status !== 422) return undefined;
  if (!refusalWords.test(`${message} ${textOf(code)}`)) return undefined;
  return sent.find(
    (member) =>
      textOf(param).startsWith(member) || memberWords[member].some((word) => message.includes(word)),
  );
}

const memberWords: Readonly<Record<OptionalMember, readonly string[]>> = {
  temperature: ['temperature'],
  response_format: ['response_format', 'response format', 'json_schema'],
};

/** Messages are not logged: some contain the key. */
function readCode({ code, type }: JsonObject): string | undefined {
  return [code, type].find(
    (name): name is string => typeof name === 'string' && /^[A-Za-z_]{1,64}$/.test(name),
  );
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
