// The form of a webhook's delivery settings, and the request members it makes. Pure.
import { METADATA, takesOf } from './filter.rules.ts';
import type { NewWebhook, Webhook } from './api.ts';

export interface DeliverySettings {
  readonly bots: readonly string[];
  readonly seconds: string;
  readonly rate: string;
  readonly isOrdered: boolean;
  readonly isAsymmetric: boolean;
  readonly isTolerant: boolean;
  /** A condition of the flow language, as JSON. */
  readonly filter: string;
}

export const toForm = (webhook?: Webhook): DeliverySettings => ({
  bots: webhook?.bot_ids ?? [],
  seconds: webhook?.timeout_ms == null ? '' : String(webhook.timeout_ms / 1000),
  rate: webhook?.rate_per_second == null ? '' : String(webhook.rate_per_second),
  isOrdered: webhook?.ordered ?? false,
  isAsymmetric: webhook != null && webhook.public_key !== null,
  isTolerant: webhook?.disable === 'when_failing',
  filter: webhook?.filter == null ? '' : JSON.stringify(webhook.filter, null, 2),
});

type Filter = NonNullable<NewWebhook['filter']>;

/** Undefined: no filter. A string: what is wrong with it. The service checks operators. */
export function readFilter(text: string): Filter | undefined | string {
  if (text.trim() === '') return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'The filter must be valid JSON.';
  }
  const { variable, op, value: operand } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof variable !== 'string')
    return 'The filter must name a variable: {"variable": "metadata.plan", …}';
  if (variable === METADATA) return 'Enter the name of the metadata to compare.';
  const isMissing = typeof op === 'string' && takesOf(op) !== 'none' && operand === undefined;
  return isMissing ? 'Enter the value to compare with.' : (value as Filter);
}

const number = (text: string): number | null => (text.trim() === '' ? null : Number(text));

/** Without filter and headers, which differ between creating and changing a webhook. */
export function toMembers(settings: DeliverySettings) {
  const { bots, seconds, rate, isOrdered, isAsymmetric, isTolerant } = settings;
  const timeout = number(seconds);
  return {
    bot_ids: [...bots],
    timeout_ms: timeout === null ? null : Math.round(timeout * 1000),
    rate_per_second: number(rate),
    ordered: isOrdered,
    asymmetric: isAsymmetric,
    disable: isTolerant ? ('when_failing' as const) : ('after_failures' as const),
  };
}
