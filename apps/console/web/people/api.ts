// Everything that the services know about a person. Each service is asked alone, so that one that
// fails or has no credential does not hide the others.
import { useQuery } from '@tanstack/react-query';
import { readBody, readData, notifications, voiceApi } from '../api/clients.ts';
import { ApiError } from '../api/error.ts';
import { conversationsQuery } from '../filters/conversation-query.ts';
import { registrationsQuery, sendsQuery } from '../notifications/api.ts';
import { removeRegistration } from '../notifications/push-here.ts';
import { deleteRecipient, recipientQuery, suppressionsQuery } from '../notifications/recipients/api.ts';
import { useAccess } from '../session/access.tsx';
import type { Handle } from './person.rules.ts';

/** Of a list; its page has the rest. */
const LISTED_MAX = 25;

export function usePerson(handle: Handle) {
  const accessTo = useAccess();
  const [hasVoice, hasMessages] = [
    accessTo('voice-api') === 'signed_in',
    accessTo('notifications') === 'signed_in',
  ];
  const phone = handle.kind === 'phone' ? handle.phone : undefined;
  const text = handle.kind === 'phone' ? undefined : handle.kind === 'email' ? handle.email : handle.id;
  const userId = handle.kind === 'id' ? handle.id : undefined;
  const limit = LISTED_MAX;
  const from = useQuery({
    ...conversationsQuery(phone === undefined ? { q: text, limit } : { from: phone, limit }),
    enabled: hasVoice,
  });
  const to = useQuery({
    ...conversationsQuery({ to: phone, limit }),
    enabled: hasVoice && phone !== undefined,
  });
  const recipient = useQuery({
    ...recipientQuery(userId ?? ''),
    enabled: hasMessages && userId !== undefined,
  });
  const email = handle.kind === 'email' ? handle.email : (recipient.data?.email ?? undefined);
  const sends = useQuery({
    ...sendsQuery(userId === undefined ? { q: text ?? phone, limit } : { user_id: userId, limit }),
    enabled: hasMessages,
  });
  const devices = useQuery({
    ...registrationsQuery({ user_id: userId, limit }),
    enabled: hasMessages && userId !== undefined,
  });
  const suppressions = useQuery({
    ...suppressionsQuery({ email }),
    enabled: hasMessages && email !== undefined,
  });
  return { hasVoice, hasMessages, from, to, recipient, email, sends, devices, suppressions };
}
export type Person = ReturnType<typeof usePerson>;

/** A missing recipient or web push that is off is no failure of this page. */
export const isMissing = (error: Error | null): boolean => error instanceof ApiError && error.status === 404;

export interface Erased {
  readonly conversations: number;
  readonly devices: number;
  readonly recipient: boolean;
}

/** Counts or erases the conversations of a phone number, in both directions. */
async function eraseConversations(phone: string, isDry: boolean): Promise<number> {
  let count = 0;
  for (const filter of [{ from: phone }, { to: phone }]) {
    let cursor: string | undefined;
    do {
      const answer: { matched: number; next_cursor: string | null } = await readData(
        voiceApi.POST('/v1/conversations/bulk-delete', {
          body: { filter, dry_run: isDry, ...(cursor === undefined ? {} : { cursor }) },
        }),
      );
      count += answer.matched;
      cursor = answer.next_cursor ?? undefined;
    } while (cursor !== undefined && !isDry);
  }
  return count;
}

export const countConversations = (phone: string): Promise<number> => eraseConversations(phone, true);

export async function erasePerson(handle: Handle): Promise<Erased> {
  if (handle.kind === 'phone') {
    const conversations = await eraseConversations(handle.phone, false);
    return { conversations, devices: 0, recipient: false };
  }
  if (handle.kind === 'email') return { conversations: 0, devices: 0, recipient: false };
  const devices = await eraseDevices(handle.id);
  const found = await deleteRecipient(handle.id).then(
    () => true,
    (error: Error) => {
      if (isMissing(error)) return false;
      throw error;
    },
  );
  return { conversations: 0, devices, recipient: found };
}

async function eraseDevices(userId: string): Promise<number> {
  let count = 0;
  for (;;) {
    const page = await readBody(
      notifications.GET('/v1/push/registrations', {
        params: { query: { user_id: userId, limit: LISTED_MAX } },
      }),
    ).catch((error: Error) => {
      if (isMissing(error)) return { items: [] };
      throw error;
    });
    if (page.items.length === 0) return count;
    for (const { sub_id: subId } of page.items) await removeRegistration(subId);
    count += page.items.length;
  }
}
