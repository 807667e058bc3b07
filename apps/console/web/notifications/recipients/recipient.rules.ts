// A recipient as the form has them, and as they are put down: whole, what is left out is taken away. Pure.
import { problemOf, readObject, valueOf } from '../json.rules.ts';
import type { PutRecipient, Recipient } from './api.ts';

export interface RecipientForm {
  readonly email: string;
  /** Shown to nobody: it is kept by being written again. */
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

/** Nobody loses a chat by leaving a field empty. */
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
