// Recorded turns of a conversation.
import { infiniteQueryOptions } from '@tanstack/react-query';
import { readData, voiceApi } from '../../api/clients.ts';
import { readTurn } from '../../api/recorded-turns.ts';

const PER_PAGE = 100;

/** The query key starts with the transcript's, so both are invalidated together. */
export const recordedTurnsQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['transcript', id, 'recorded'],
    queryFn: async ({ pageParam }) => {
      const query = { limit: PER_PAGE, ...(pageParam === null ? {} : { cursor: pageParam }) };
      const page = await readData(
        voiceApi.GET('/v1/conversations/{conversation_id}/turns', {
          params: { path: { conversation_id: id }, query },
        }),
      );
      return { turns: page.items.flatMap((item) => readTurn(item) ?? []), next: page.next_cursor };
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  });
