// How a webhook is sent to, as the form has it: text that becomes members of the request. Pure.
import type { NewWebhook, Webhook } from './api.ts';

export interface Sending {
  readonly bots: readonly string[];
  readonly seconds: string;
  readonly rate: string;
  readonly isOrdered: boolean;
  readonly isAsymmetric: boolean;
  /** A condition of the flow language, as JSON. */
  readonly filter: string;
}

export const asForm = (webhook?: Webhook): Sending => ({
  bots: webhook?.bot_ids ?? [],
  seconds: webhook?.timeout_ms == null ? '' : String(webhook.timeout_ms / 1000),
  rate: webhook?.rate_per_second == null ? '' : String(webhook.rate_per_second),
  isOrdered: webhook?.ordered ?? false,
  isAsymmetric: webhook != null && webhook.public_key !== null,
  filter: webhook?.filter == null ? '' : JSON.stringify(webhook.filter, null, 2),
});

type Filter = NonNullable<NewWebhook['filter']>;

/** undefined: everything is told. A string says why it is none; whether its operator exists, the service says. */
export function readFilter(text: string): Filter | undefined | string {
  if (text.trim() === '') return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'This is not JSON.';
  }
  const hasVariable = typeof (value as { variable?: unknown } | null)?.variable === 'string';
  return hasVariable ? (value as Filter) : 'A condition names a variable: {"variable": "metadata.plan", …}';
}

const number = (text: string): number | null => (text.trim() === '' ? null : Number(text));

/** What is sent, except the filter and the headers, which are told apart by new and changed. */
export function asMembers({ bots, seconds, rate, isOrdered, isAsymmetric }: Sending) {
  const timeout = number(seconds);
  return {
    bot_ids: [...bots],
    timeout_ms: timeout === null ? null : Math.round(timeout * 1000),
    rate_per_second: number(rate),
    ordered: isOrdered,
    asymmetric: isAsymmetric,
  };
}
