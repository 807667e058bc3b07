// The stages of a send: planned, then sealed as rows.
import type { ChannelName } from '@parley/jobs';
import type { Channel, Notice, Planned } from '../channels/channel.ts';
import type { SuppressionReason } from '../people/suppression.rules.ts';
import type { UsedTemplate } from '../templates/use-template.ts';
import type { NewCallback } from './callback-rows.ts';
import type { SendTiming } from './plan-timing.ts';
import type { NotifyRequest } from './request/notify-request.ts';

/** A valid send that is not written yet. */
export interface PlannedSend {
  readonly notice: Notice;
  readonly planned: readonly PlannedChannel[];
  readonly rejected: readonly Rejection[];
  readonly category: string | undefined;
  readonly timed: SendTiming | undefined;
  readonly template: UsedTemplate | undefined;
  readonly callbackUrl: string | undefined;
  readonly track: NotifyRequest['track'];
  readonly workflow: NotifyRequest['workflow'];
}

export interface PlannedChannel {
  readonly channel: Channel;
  readonly planned: Planned;
  /** Null or absent: together with the notification. */
  readonly dueAt?: Date | null;
  /** Why a preference or suppression stops this valid channel. */
  readonly suppressed?: Stop;
}

export interface Stop {
  readonly errorClass: 'preference' | SuppressionReason;
  readonly reason: string;
}

export interface Rejection {
  readonly channel: ChannelName;
  readonly reason: string;
}

export interface NewNotification {
  readonly notice: Notice;
  readonly rejected: readonly { readonly channel: string; readonly reason: string }[];
  /** `api`, or the service whose message requested it. */
  readonly source: string;
  readonly createdBy: string;
  readonly deliveries: readonly NewDelivery[];
  readonly category?: string | undefined;
  /** Throttle and digest, decided in the transaction that writes it. */
  readonly timed?: SendTiming | undefined;
  readonly workflow?: NotifyRequest['workflow'];
  /** The send to a topic, or the recurring send, that this notification belongs to. */
  readonly parentId?: string | undefined;
  /** The sealed callback address, and whether it also receives opens and clicks. */
  readonly callback: Omit<NewCallback, 'id'> | null;
}

export interface NewDelivery {
  readonly id: string;
  /** A name that this deployment does not have comes with `failed`. */
  readonly channel: ChannelName;
  readonly plain: object;
  readonly sealed: string | null;
  /** Null or absent: together with the notification. */
  readonly dueAt?: Date | null;
  /** Set for what cannot be sent, for example over a channel that is not configured. */
  readonly failed?: {
    /** Default: `failed`. */
    readonly status?: 'suppressed';
    readonly errorClass: string;
    readonly message: string;
  };
}
