// The attachments of a mail as they are sent: those that the request brought, and those that are fetched from where it said
// (docs/notifications.md#attachments).
import { createFairQueue, type FairQueue } from '@parley/runtime';
import type { Outcome } from '../channels/channel.ts';
import type { Deps } from '../deps.ts';
import { isRetryable } from '../notify/outcome.rules.ts';
import type { Attachment } from './mail.rules.ts';
import { ATTACHMENT_BYTES_MAX, type MailContent } from './mail-target.ts';

type Kept = NonNullable<MailContent['attachments']>[number];
type Fetched = { readonly ok: true; readonly attachments: Attachment[] } | { ok: false; outcome: Outcome };

/** A host that sends nothing for so long has failed. */
const SILENT_MS = 3_000;
/** Mails whose attachments are in memory at once, 20 MiB each with their document. */
const PLACES = 2;

/** Memory for fetched attachments. An organisation has one place, so that others find one. */
export function createAttachmentPlaces(): FairQueue {
  return createFairQueue({ places: PLACES, placesOfOne: 1 });
}

/** A place of one mail: it takes it when the first host answers, and frees it when it is sent. */
export interface Place {
  take(): Promise<void>;
  free(): void;
}

export function createPlace(places: FairQueue, organizationId: string, signal: AbortSignal): Place {
  let free: () => void = () => undefined;
  const freed = new Promise<void>((resolve) => (free = resolve));
  let taken: Promise<void> | undefined;
  const wait = () =>
    new Promise<void>((resolve, reject) => {
      const stop = () => reject(signal.reason as Error);
      if (signal.aborted) return stop();
      signal.addEventListener('abort', stop, { once: true });
      // Freed before its turn, it ends with its turn.
      places.run(organizationId, () => (resolve(), freed)).catch(reject);
    });
  return { take: () => (taken ??= wait()), free };
}

/** One after the other. The body of the first one is read once the mail has its place. */
export async function loadAttachments(
  { outbound, config }: Pick<Deps, 'outbound' | 'config'>,
  kept: readonly Kept[],
  place: Place,
): Promise<Fetched> {
  const attachments: Attachment[] = [];
  let deadlineMs = performance.now() + config.DELIVERY_TIMEOUT_MS;
  let left = ATTACHMENT_BYTES_MAX;
  const takePlace = async () => {
    const fromMs = performance.now();
    await place.take();
    deadlineMs += performance.now() - fromMs;
  };
  for (const one of kept) {
    let bytes: Buffer | undefined;
    if (one.url === undefined) bytes = Buffer.from(one.content ?? '', 'base64');
    else {
      const answer = await outbound.request({
        url: one.url,
        method: 'GET',
        timeoutMs: Math.max(1, Math.round(deadlineMs - performance.now())),
        silentMs: SILENT_MS,
        bytesMax: Math.max(1, left),
        beforeBody: takePlace,
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
              ? `The attachment "${one.filename}" came compressed, which was not asked for.`
              : `The attachments are larger than ${ATTACHMENT_BYTES_MAX / 1024 / 1024} MiB together.`,
        },
      };
    attachments.push(attachmentOf(one, bytes));
  }
  return { ok: true, attachments };
}

/** Those that the request brought: what a preview shows without asking anybody. */
export function broughtAttachments(kept: readonly Kept[]): Attachment[] {
  return kept.flatMap((one) =>
    one.content === undefined ? [] : attachmentOf(one, Buffer.from(one.content, 'base64')),
  );
}

function attachmentOf({ filename, content_type: type, content_id: contentId }: Kept, content: Buffer) {
  return { filename, type, contentId, content };
}
