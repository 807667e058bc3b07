// Channels and the states that a send has on one, in words and colours; the compiler holds both against the API's description.
import type { Tone } from '../ui/badge.tsx';
import type { NotifyBody, Sent } from './api.ts';

export type Channel = NonNullable<NotifyBody['channels']>[number];
export type ChannelStatus = Sent['channels'][number]['status'];

const LABELS: Readonly<Record<Channel, string>> = {
  in_app: 'Inbox',
  email: 'E-mail',
  web_push: 'Web push',
  chat: 'Chat',
  webhook: 'Webhook',
};
export const CHANNELS = Object.keys(LABELS) as [Channel, ...Channel[]];
/** A newer service may have one that is not known here. */
export const channelLabel = (channel: string): string => LABELS[channel as Channel] ?? channel;

export const STATUS_TONES: Readonly<Record<ChannelStatus, Tone>> = {
  queued: 'accent',
  sending: 'accent',
  sent: 'good',
  delivered: 'good',
  partial: 'warn',
  bounced: 'bad',
  failed: 'bad',
  no_devices: 'warn',
  unknown: 'warn',
  expired: 'neutral',
  canceled: 'neutral',
  suppressed: 'neutral',
  quarantined: 'bad',
};
export const SEND_STATUSES = Object.keys(STATUS_TONES) as [ChannelStatus, ...ChannelStatus[]];

/** What is better said in words than by the class of an error. */
const REASONS: Readonly<Record<string, string>> = {
  preference: 'they have switched off its category there',
  not_needed: 'not needed any more: it was read or delivered elsewhere',
  template_gone: 'its template is gone',
  unconfigured: 'something of the configuration is missing',
  secret_unavailable: 'a secret leads nowhere',
};
export const reasonOf = (errorClass: string): string =>
  REASONS[errorClass] ?? errorClass.replaceAll('_', ' ');
