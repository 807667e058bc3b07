// What a push message says: the JSON that is encrypted for every device, the same for all of them. Pure.
import { z } from 'zod';
import { anyObject } from '@parley/envelopes';

/** What is known of a send. */
export interface PushContent {
  readonly notificationId: string;
  readonly title: string;
  readonly body: string;
  readonly url?: string | undefined;
  readonly data?: Readonly<Record<string, unknown>> | undefined;
  readonly siteId?: string | undefined;
  /** Of a send that puts an item into the same user's inbox: what a click marks it read with. */
  readonly receipt?: string | undefined;
  /** Of a send whose clicks are tracked: the address that the service worker tells of them. */
  readonly beacon?: string | undefined;
}

/** The members that a service worker reads (docs/notifications.md#sending-a-push), as they stand in the stored payload. */
export const payloadSchema = z.looseObject({
  title: z.string(),
  body: z.string(),
  url: z.string().optional(),
  data: anyObject.optional(),
  site_id: z.string().optional(),
  notification_id: z.string(),
});

/** RFC 8030 as a number: what marks a declarative message (Safari 18.4). */
const DECLARATIVE = 8030;

/**
 * The text to encrypt. With a `url` the declarative form stands beside the classic members: Safari shows it without a
 * service worker, or when that fails; `mutable` lets the service worker change it first. `tag` makes a repeated message
 * replace the notification on the device, not stand beside it.
 */
export function payloadOf(content: PushContent): string {
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

/** What is stored of a payload whose words stand in a shared content. */
export function ownPayload(payload: string): string {
  return JSON.stringify(stored.parse(JSON.parse(payload)));
}

export const sharedWords = z
  .object({ title: z.string(), body: z.string(), url: z.string().nullable(), data: anyObject.nullable() })
  .nullable();

/** SQL for `sharedWords` of a row of `push_fanouts`. */
export const SHARED_WORDS = `(
  SELECT json_build_object('title', COALESCE(plans #>> '{web_push,of_send,words,subject}', subject),
    'body', COALESCE(plans #>> '{web_push,of_send,words,message}', message),
    'url', plans #> '{web_push,url}', 'data', plans #> '{web_push,data}')
  FROM shared_contents WHERE shared_contents.id = push_fanouts.content_id)`;

/** The payload as it is encrypted. */
export function wholePayload(payload: string, shared: z.output<typeof sharedWords>): string {
  if (shared === null) return payload;
  const {
    notification_id: notificationId,
    site_id: siteId,
    receipt,
    beacon,
  } = stored.parse(JSON.parse(payload));
  const { title, body, url, data } = shared;
  const content = { title, body, url: url ?? undefined, data: data ?? undefined };
  return payloadOf({ notificationId, ...content, siteId, receipt, beacon });
}

/** Takes back what stands on the device under the tag (docs/notifications.md#one-read-everywhere). */
export function withdrawalOf(notificationId: string): string {
  return JSON.stringify({ withdraw: true, notification_id: notificationId, tag: notificationId });
}

/** Bytes of the text as it is encrypted. */
export function payloadBytes(payload: string): number {
  return new TextEncoder().encode(payload).length;
}
