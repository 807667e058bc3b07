// Everything that the services know about a person. Each service is asked alone, so that one that
// fails or has no credential does not hide the others.
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { components } from '@parley/sdk/voice-api';
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
  /** Conversations with a legal hold, which were not erased. */
  readonly held: number;
  /** Without personal data; null while something is left. */
  readonly certificate: object | null;
  readonly devices: number;
  readonly recipient: boolean;
}

/** The id of the caller in the voice API (docs/voice-api.md#callers). */
export function toCallerId(handle: Handle): string {
  if (handle.kind === 'phone') return `tel:${handle.phone.replace(/^00/, '+')}`;
  return handle.kind === 'email' ? `mailto:${handle.email.toLowerCase()}` : `id:${handle.id}`;
}

const deleteCaller = (id: string, isDry: boolean) =>
  readData(
    voiceApi.DELETE('/v1/callers/{caller_id}', {
      params: { path: { caller_id: id }, query: isDry ? { dry_run: 'true' } : {} },
    }),
  );

export const countConversations = (handle: Handle) => deleteCaller(toCallerId(handle), true);

/** Each request works for some seconds. Held conversations stay. */
async function eraseCaller(id: string) {
  let conversations = 0;
  for (;;) {
    const { matched, held = 0, complete, certificate } = await deleteCaller(id, false);
    conversations += matched;
    if (complete || held > 0) return { conversations, held, certificate };
  }
}

export const callersQuery = queryOptions({
  queryKey: ['callers'],
  queryFn: () => readData(voiceApi.GET('/v1/callers', { params: { query: { limit: LISTED_MAX } } })),
});
export type Caller = components['schemas']['Caller'];

/** @param services those that the session may use */
export async function erasePerson(
  handle: Handle,
  services: { readonly hasVoice: boolean; readonly hasMessages: boolean },
): Promise<Erased> {
  const { conversations, held, certificate } = services.hasVoice
    ? await eraseCaller(toCallerId(handle))
    : { conversations: 0, held: 0, certificate: null };
  const erased = { conversations, held, certificate, devices: 0, recipient: false };
  if (handle.kind !== 'id' || !services.hasMessages) return erased;
  const devices = await eraseDevices(handle.id);
  const recipient = await deleteRecipient(handle.id).then(
    () => true,
    (error: Error) => {
      if (isMissing(error)) return false;
      throw error;
    },
  );
  return { ...erased, devices, recipient };
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
