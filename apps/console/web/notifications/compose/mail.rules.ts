// What a mail has beside its words, as it is filled in, and the members of its target that it makes (docs/notifications.md#attachments). Pure.
import type { NotifyBody } from '../api.ts';

/** Brought along, in base64, or fetched from its address when the mail is sent. */
export type Attached = { readonly filename: string } & (
  | { readonly content: string; readonly contentType: string; readonly bytes: number }
  | { readonly url: string }
);

export interface MailDraft {
  readonly replyTo: string;
  /** Addresses, as they are typed. */
  readonly cc: string;
  readonly bcc: string;
  readonly html: string;
  readonly attached: readonly Attached[];
}

export const emptyMail: MailDraft = { replyTo: '', cc: '', bcc: '', html: '', attached: [] };

/** As many as the service takes. */
export const ATTACHED_MAX = 10;
/** Of what is brought, together: a request has 1 MiB, and base64 is a third longer. */
export const BROUGHT_BYTES_MAX = 700 * 1024;

export const isBrought = (one: Attached) => 'content' in one;

export const broughtBytes = (attached: readonly Attached[]): number =>
  attached.reduce((sum, one) => sum + ('bytes' in one ? one.bytes : 0), 0);

/** Why these files cannot be brought along as well; undefined: they can. */
export function tooMuch(
  attached: readonly Attached[],
  files: readonly { readonly size: number }[],
): string | undefined {
  if (attached.length + files.length > ATTACHED_MAX) return `At most ${ATTACHED_MAX} go along with a mail.`;
  const bytes = broughtBytes(attached) + files.reduce((sum, { size }) => sum + size, 0);
  return bytes > BROUGHT_BYTES_MAX
    ? `Files of at most ${BROUGHT_BYTES_MAX / 1024} KiB together are brought along. Give the address of a larger one.`
    : undefined;
}

type MailMembers = Exclude<NonNullable<NonNullable<NotifyBody['target']>['email']>, string>;

/** To a topic nothing goes that would be sent, or kept, once a member. */
export function mailOf({ replyTo, cc, bcc, html, attached }: MailDraft, toTopic: boolean): MailMembers {
  const taken = toTopic ? attached.filter((one) => !isBrought(one)) : attached;
  return {
    ...(!toTopic && { ...copies('cc', cc), ...copies('bcc', bcc) }),
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
