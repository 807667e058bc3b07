// The form of a recipient, and the PUT it makes, which replaces the recipient as a whole. Pure.
import { problemOf, readObject, valueOf } from '../json.rules.ts';
import type { PutRecipient, Recipient } from './api.ts';

export interface RecipientForm {
  readonly email: string;
  /** Never shown. People enter it again to keep it. */
  readonly chatWebhook: string;
  readonly takeChatAway: boolean;
  readonly language: string;
  readonly timeZone: string;
  /** JSON. */
  readonly attributes: string;
}

export const formOf = (known?: Recipient): RecipientForm => ({
  email: known?.email ?? '',
  chatWebhook: '',
  takeChatAway: false,
  language: known?.language ?? '',
  timeZone: known?.time_zone ?? '',
  attributes:
    known && Object.keys(known.attributes).length > 0 ? JSON.stringify(known.attributes, null, 2) : '',
});

/** An empty field must not remove the chat webhook by accident. */
export const isReady = (form: RecipientForm, known?: Recipient): boolean =>
  problemOf(readObject(form.attributes)) === undefined &&
  (!known?.chat_webhook || form.takeChatAway || form.chatWebhook.trim() !== '');

export function putOf(form: RecipientForm): PutRecipient {
  const given = (name: keyof PutRecipient, text: string) =>
    text.trim() === '' ? {} : { [name]: text.trim() };
  return {
    ...given('email', form.email),
    ...given('chat_webhook', form.takeChatAway ? '' : form.chatWebhook),
    ...given('language', form.language),
    ...given('time_zone', form.timeZone),
    attributes: valueOf(readObject(form.attributes)) ?? {},
  };
}
