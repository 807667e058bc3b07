// The attachments of a mail as they are sent: those that the request brought, and those that are fetched from where it said
// (docs/notifications.md#attachments).
import type { Outcome } from '../channels/channel.ts';
import type { Deps } from '../deps.ts';
import { isRetryable } from '../notify/outcome.rules.ts';
import type { Attachment } from './mail.rules.ts';
import { ATTACHMENT_BYTES_MAX, type MailContent } from './mail-target.ts';

type Kept = NonNullable<MailContent['attachments']>[number];
type Fetched = { readonly ok: true; readonly attachments: Attachment[] } | { ok: false; outcome: Outcome };

/** One after the other: no more than one mail's worth is in memory. */
export async function loadAttachments(
  { outbound, config }: Pick<Deps, 'outbound' | 'config'>,
  kept: readonly Kept[],
): Promise<Fetched> {
  const attachments: Attachment[] = [];
  const deadlineMs = performance.now() + config.DELIVERY_TIMEOUT_MS;
  let left = ATTACHMENT_BYTES_MAX;
  for (const one of kept) {
    let bytes: Buffer | undefined;
    if (one.url === undefined) bytes = Buffer.from(one.content ?? '', 'base64');
    else {
      const answer = await outbound.request({
        url: one.url,
        method: 'GET',
        timeoutMs: Math.max(1, Math.round(deadlineMs - performance.now())),
        bytesMax: Math.max(1, left),
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
