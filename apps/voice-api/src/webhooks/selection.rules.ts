// Which events a webhook receives (docs/voice-api.md#webhooks). Pure.

/** The members of an event that decide. */
export interface SelectableEvent {
  readonly type: string;
  readonly botId: string | null;
  /** The application of its conversation. */
  readonly applicationId: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The application of a conversation (docs/portal.md#which-events). Null: of none. */
export function readApplicationId(metadata: Readonly<Record<string, unknown>>): string | null {
  const id = metadata['application_id'];
  return typeof id === 'string' ? id : null;
}

/** The settings of a webhook that decide which events it receives. */
export interface WebhookSelection {
  readonly id: string;
  readonly organizationId: string;
  /** Receives events of this application only; null: of all conversations. */
  readonly applicationId: string | null;
  readonly events: readonly string[];
  /** Receives events of these bots only; empty: of all bots. */
  readonly botIds: readonly string[];
  /** Whether `data` matches its filter. */
  passes(data: SelectableEvent['data']): boolean;
  readonly ordered: boolean;
  readonly status: string;
}

export const ANY_EVENT = '*';

export function selects(webhook: WebhookSelection, type: string): boolean {
  return webhook.events.includes(type) || webhook.events.includes(ANY_EVENT);
}

export function isSelected(webhook: WebhookSelection, event: SelectableEvent): boolean {
  const { type, botId, applicationId, data } = event;
  if (!selects(webhook, type)) return false;
  if (webhook.applicationId !== null && webhook.applicationId !== applicationId) return false;
  if (webhook.botIds.length > 0 && (botId === null || !webhook.botIds.includes(botId))) return false;
  return webhook.passes(data);
}
