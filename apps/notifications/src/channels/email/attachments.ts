// Loads the attachments of a mail: from the request, and from addresses that the request named
// (docs/notifications.md#attachments).
import { createFairQueue, type FairQueue } from '@parley/server/runtime';
import type { BaseDeps } from '../../base-deps.ts';
import { isRetryable } from '../../outcomes/retry-schedule.rules.ts';
import type { Attachment } from './mail.rules.ts';
import { ATTACHMENT_BYTES_MAX, type MailContent } from './mail-target.ts';
import type { Outcome } from '../../outcomes/outcome.ts';

type StoredAttachment = NonNullable<MailContent['attachments']>[number];
type LoadResult = { readonly ok: true; readonly attachments: Attachment[] } | { ok: false; outcome: Outcome };

/** A host that sends nothing for this long has failed. */
const SILENT_MS = 3_000;
/** Mails with attachments in memory at once; each takes 20 MiB with its document. */
const PLACES = 2;

/** Bounds memory for fetched attachments. One place per organisation leaves one for others. */
export function createAttachmentPlaces(): FairQueue {
  return createFairQueue({ places: PLACES, placesOfOne: 1 });
}

/** Memory of one mail, from the first answer of a host until the mail is sent. */
export interface Place {
  acquire(): Promise<void>;
  release(): void;
}

export function createPlace(places: FairQueue, organizationId: string, signal: AbortSignal): Place {
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  let acquired: Promise<void> | undefined;
  const wait = () =>
    new Promise<void>((resolve, reject) => {
      const stop = () => reject(signal.reason as Error);
      if (signal.aborted) return stop();
      signal.addEventListener('abort', stop, { once: true });
      // When freed early, its turn ends as soon as it begins.
      places
        .run(organizationId, () => {
          resolve();
          return released;
        })
        .catch(reject);
    });
  return { acquire: () => (acquired ??= wait()), release };
}

/** Loads one after the other, and waits for the memory place before it reads the first body. */
export async function loadAttachments(
  { outbound, config }: Pick<BaseDeps, 'outbound' | 'config'>,
  stored: readonly StoredAttachment[],
  place: Place,
): Promise<LoadResult> {
  const attachments: Attachment[] = [];
  let deadlineMs = performance.now() + config.DELIVERY_TIMEOUT_MS;
  let left = ATTACHMENT_BYTES_MAX;
  const acquirePlace = async () => {
    const fromMs = performance.now();
    await place.acquire();
    deadlineMs += performance.now() - fromMs;
  };
  for (const one of stored) {
    let bytes: Buffer | undefined;
    if (one.url === undefined) bytes = Buffer.from(one.content ?? '', 'base64');
    else {
      const answer = await outbound.request({
        url: one.url,
        method: 'GET',
        timeoutMs: Math.max(1, Math.round(deadlineMs - performance.now())),
        silentMs: SILENT_MS,
        bytesMax: Math.max(1, left),
        beforeBody: acquirePlace,
      });
      if (!answer.ok) {
        const { errorClass, status: httpStatus, retryAfterMs } = answer;
        const message = `The attachment "${one.filename}" could not be fetched. ${answer.message}`;
        const failure = { errorClass: `attachment_${errorClass}`, message, httpStatus };
        return {
          ok: false,
          outcome:
            errorClass !== 'too_large' && isRetryable(errorClass, httpStatus)
              ? { kind: 'retry', ...failure, retryAfterMs }
              : { kind: 'final', status: 'failed', ...failure },
        };
      }
      bytes = answer.bytes;
    }
    left -= bytes?.length ?? 0;
    if (bytes === undefined || left < 0)
      return {
        ok: false,
        outcome: {
          kind: 'final',
          status: 'failed',
          errorClass: bytes === undefined ? 'attachment_compressed' : 'attachment_too_large',
          message:
            bytes === undefined
              ? `The attachment "${one.filename}" came compressed, although uncompressed content was requested.`
              : `The attachments are larger than ${ATTACHMENT_BYTES_MAX / 1024 / 1024} MiB together.`,
        },
      };
    attachments.push(toAttachment(one, bytes));
  }
  return { ok: true, attachments };
}

/** Only attachments from the request, for a preview that fetches nothing. */
export function listInlineAttachments(stored: readonly StoredAttachment[]): Attachment[] {
  return stored.flatMap((one) =>
    one.content === undefined ? [] : toAttachment(one, Buffer.from(one.content, 'base64')),
  );
}

function toAttachment(
  { filename, content_type: type, content_id: contentId }: StoredAttachment,
  content: Buffer,
) {
  return { filename, type, contentId, content };
}
