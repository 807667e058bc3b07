// Optional fields of an e-mail, and the target members they make
// (docs/notifications.md#attachments). Pure.
import type { NotifyBody } from '../api.ts';

/** Uploaded as base64, or fetched from its address when the e-mail is sent. */
export type Attached = { readonly filename: string } & (
  | { readonly content: string; readonly contentType: string; readonly bytes: number }
  | { readonly url: string }
);

export interface MailDraft {
  readonly from: string;
  readonly replyTo: string;
  /** Addresses as typed. */
  readonly cc: string;
  readonly bcc: string;
  readonly html: string;
  readonly attached: readonly Attached[];
}

export const emptyMail: MailDraft = { from: '', replyTo: '', cc: '', bcc: '', html: '', attached: [] };

/** The service's limit. */
export const ATTACHED_MAX = 10;
/** Total of uploaded files: a request has at most 1 MiB, and base64 adds a third. */
export const BROUGHT_BYTES_MAX = 700 * 1024;

export const isBrought = (one: Attached) => 'content' in one;

export const broughtBytes = (attached: readonly Attached[]): number =>
  attached.reduce((sum, one) => sum + ('bytes' in one ? one.bytes : 0), 0);

/** Why these files cannot be added; undefined when they can. */
export function tooMuch(
  attached: readonly Attached[],
  files: readonly { readonly size: number }[],
): string | undefined {
  if (attached.length + files.length > ATTACHED_MAX)
    return `An e-mail has at most ${ATTACHED_MAX} attachments. Remove some first.`;
  const bytes = broughtBytes(attached) + files.reduce((sum, { size }) => sum + size, 0);
  return bytes > BROUGHT_BYTES_MAX
    ? `Uploaded files have at most ${BROUGHT_BYTES_MAX / 1024} KiB in total. Add the address of a larger file.`
    : undefined;
}

type MailMembers = Exclude<NonNullable<NonNullable<NotifyBody['target']>['email']>, string>;

/** A send to a topic has no copies and no uploads, because each member would multiply them. */
export function mailOf({ from, replyTo, cc, bcc, html, attached }: MailDraft, toTopic: boolean): MailMembers {
  const taken = toTopic ? attached.filter((one) => !isBrought(one)) : attached;
  return {
    ...(!toTopic && { ...copies('cc', cc), ...copies('bcc', bcc) }),
    ...(from.trim() !== '' && { from: from.trim() }),
    ...(replyTo.trim() !== '' && { reply_to: replyTo.trim() }),
    ...(html.trim() !== '' && { html }),
    ...(taken.length > 0 && {
      attachments: taken.map((one) =>
        'url' in one
          ? { filename: one.filename.trim(), url: one.url.trim() }
          : {
              filename: one.filename,
              content: one.content,
              ...(one.contentType !== '' && { content_type: one.contentType }),
            },
      ),
    }),
  };
}

const copies = (name: 'cc' | 'bcc', text: string) => {
  const addresses = text.split(/[\s,;]+/).filter((one) => one !== '');
  return addresses.length > 0 ? { [name]: addresses } : {};
};
