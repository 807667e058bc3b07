// Pure: the JSON payload of a push, encrypted for every device and equal for all of them.
import { z } from 'zod';
import { anyObject } from '@parley/envelopes';

/** The content of a send. */
export interface PushContent {
  readonly notificationId: string;
  readonly title: string;
  readonly body: string;
  readonly url?: string | undefined;
  readonly data?: Readonly<Record<string, unknown>> | undefined;
  readonly siteId?: string | undefined;
  /** Marks the inbox item of the same send as read on a click. */
  readonly receipt?: string | undefined;
  /** The address to which the service worker reports clicks of a tracked send. */
  readonly beacon?: string | undefined;
}

/** The members that a service worker reads (docs/notifications.md#sending-a-push), as stored. */
export const payloadSchema = z.looseObject({
  title: z.string(),
  body: z.string(),
  url: z.string().optional(),
  data: anyObject.optional(),
  site_id: z.string().optional(),
  notification_id: z.string(),
});

/** The number of RFC 8030 marks a declarative message (Safari 18.4). */
const DECLARATIVE = 8030;

/**
 * The text to encrypt. With a `url` it also contains the declarative form, which Safari shows
 * without a working service worker; `mutable` lets the worker change it. `tag` makes a repeated
 * message replace the notification on the device.
 */
export function buildPayload(content: PushContent): string {
  const { notificationId, title, body, url, data, siteId, receipt, beacon } = content;
  const declarative =
    url === undefined
      ? {}
      : {
          web_push: DECLARATIVE,
          notification: { title, body, navigate: url, tag: notificationId },
          mutable: true,
        };
  return JSON.stringify({
    title,
    body,
    url,
    data,
    site_id: siteId,
    notification_id: notificationId,
    tag: notificationId,
    receipt,
    beacon,
    ...declarative,
  });
}

const stored = z.object({
  notification_id: z.string(),
  site_id: z.string().optional(),
  receipt: z.string().optional(),
  beacon: z.string().optional(),
});

/** The stored part of a payload whose text is in a shared content. */
export function toOwnPayload(payload: string): string {
  return JSON.stringify(stored.parse(JSON.parse(payload)));
}

export const sharedText = z
  .object({ title: z.string(), body: z.string(), url: z.string().nullable(), data: anyObject.nullable() })
  .nullable();

/** SQL for `sharedText` of a row of `push_fanouts`. */
export const SHARED_TEXT = `(
  SELECT json_build_object('title', COALESCE(plans #>> '{web_push,of_send,words,subject}', subject),
    'body', COALESCE(plans #>> '{web_push,of_send,words,message}', message),
    'url', plans #> '{web_push,url}', 'data', plans #> '{web_push,data}')
  FROM shared_contents WHERE shared_contents.id = push_fanouts.content_id)`;

/** The payload to encrypt. */
export function mergePayload(payload: string, shared: z.output<typeof sharedText>): string {
  if (shared === null) return payload;
  const {
    notification_id: notificationId,
    site_id: siteId,
    receipt,
    beacon,
  } = stored.parse(JSON.parse(payload));
  const { title, body, url, data } = shared;
  const content = { title, body, url: url ?? undefined, data: data ?? undefined };
  return buildPayload({ notificationId, ...content, siteId, receipt, beacon });
}

/** Removes the notification from the device (docs/notifications.md#one-read-everywhere). */
export function buildWithdrawal(notificationId: string): string {
  return JSON.stringify({ withdraw: true, notification_id: notificationId, tag: notificationId });
}

/** Bytes of the text before encryption. */
export function payloadBytes(payload: string): number {
  return new TextEncoder().encode(payload).length;
}
