// The member `recipient` of a template's data (docs/notifications.md#recipient-data).
import type { Recipient } from './recipient.ts';

export interface TemplateRecipient {
  readonly id: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly language: string | null;
  readonly time_zone: string | null;
}

/** Of a user without a stored recipient only the id is known. */
export function toTemplateRecipient(userId: string, recipient: Recipient | undefined): TemplateRecipient {
  const { attributes = {}, language = null, timeZone = null } = recipient ?? {};
  return { id: userId, attributes, language, time_zone: timeZone };
}
