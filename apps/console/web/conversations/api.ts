// Conversations and transcripts of the voice API.
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { readData, readJsonData, voiceApi } from '../api/clients.ts';
import type { components, operations } from '@parley/sdk/voice-api';

export type Conversation = components['schemas']['Conversation'];
export type ConversationUpdate = components['schemas']['ConversationUpdate'];
export type Transcript = components['schemas']['Transcript'];
export type Turn = Transcript['turns'][number];
type Listed =
  operations['listConversations']['responses'][200]['content']['application/json']['data']['items'][number];
/** The generated client types pairs as lists. */
export type SearchMatch = Omit<NonNullable<Listed['found']>[number], 'marks'> & {
  readonly marks: readonly (readonly number[])[];
};
export type ListedConversation = Conversation & { readonly found?: readonly SearchMatch[] };

const LIVE = ['initiated', 'in_progress', 'processing'];

export const isLive = ({ status }: Pick<Conversation, 'status'>): boolean => LIVE.includes(status);

export const conversationQuery = (id: string) =>
  queryOptions({
    queryKey: ['conversation', id],
    queryFn: () => readData(voiceApi.GET('/v1/conversations/{conversation_id}', at(id))),
  });

/** A page has at most one mebibyte, so nearly every transcript is one page. */
export const transcriptQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['transcript', id],
    queryFn: async ({ pageParam }) => {
      const query = pageParam === undefined ? {} : { cursor: pageParam };
      const path = '/v1/conversations/{conversation_id}/transcript';
      return readJsonData(voiceApi.GET(path, { params: { ...at(id).params, query } }));
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor,
  });

const at = (id: string) => ({ params: { path: { conversation_id: id } } });

/** A link of 15 minutes to the copy of the recording. */
export const recordingLink = (id: string) =>
  readData(voiceApi.GET('/v1/conversations/{conversation_id}/recording', at(id)));

export const deleteConversation = (id: string) =>
  readData(voiceApi.DELETE('/v1/conversations/{conversation_id}', at(id)));

export const holdConversation = (id: string, reason: string) =>
  readData(voiceApi.PUT('/v1/conversations/{conversation_id}/hold', { ...at(id), body: { reason } }));

export const releaseConversation = (id: string) =>
  readData(voiceApi.DELETE('/v1/conversations/{conversation_id}/hold', at(id)));

export const updateConversation = (id: string, body: ConversationUpdate) =>
  readData(voiceApi.PATCH('/v1/conversations/{conversation_id}', { ...at(id), body }));

/** The transcript as a file, in a format that the API renders. */
export async function transcriptFile(
  id: string,
  type: 'text/plain' | 'text/vtt' | 'application/json',
): Promise<Blob> {
  const path = `/api/voice-api/v1/conversations/${encodeURIComponent(id)}/transcript`;
  const parts: Blob[] = [];
  for (let next: string | null = path; next !== null;) {
    const response: Response = await fetch(next, { headers: { accept: type } });
    if (!response.ok)
      throw new Error(`The transcript could not be downloaded (status ${response.status}). Try again.`);
    parts.push(await response.blob());
    const cursor = /[?&]cursor=([^>&]+)[^>]*>; *rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
    next = cursor === undefined ? null : `${path}?cursor=${cursor}`;
  }
  return new Blob(parts, { type });
}
