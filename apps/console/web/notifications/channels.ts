// Labels of channels, states and reasons. The compiler checks that no channel or state is missing.
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
/** A newer service may have an unknown channel. */
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

export type RecurringState = NonNullable<Sent['recurring']>['status'];

export const RECURRING_TONES: Readonly<Record<RecurringState, Tone>> = {
  active: 'accent',
  ended: 'neutral',
  canceled: 'neutral',
  failed: 'bad',
};
export const RECURRING_STATUSES = Object.keys(RECURRING_TONES) as [RecurringState, ...RecurringState[]];

/** Reasons that read better than their error class. */
const REASONS: Readonly<Record<string, string>> = {
  preference: 'the recipient switched this category off',
  not_needed: 'no longer needed: it was read or delivered on another channel',
  template_gone: 'the template was deleted',
  unconfigured: 'the channel is not configured',
  secret_unavailable: 'a secret could not be read',
};
export const reasonOf = (errorClass: string): string =>
  REASONS[errorClass] ?? errorClass.replaceAll('_', ' ');
