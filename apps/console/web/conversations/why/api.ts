// Recorded turns of a conversation.
import { infiniteQueryOptions } from '@tanstack/react-query';
import { readData, voiceApi } from '../../api/clients.ts';
import type { RecordedTurn } from '@parley/flow-analysis';
import { readTurn } from './recorded.ts';

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

/** What teaching looks at: turns, and their characters, which a request must hold. */
const TAUGHT_TURNS_MAX = 1_000;
const TAUGHT_CHARACTERS_MAX = 4 * 1024 * 1024;

/** The latest recorded turns of the flow, with the given one first. */
export async function readFlowTurns(first: RecordedTurn): Promise<readonly Record<string, unknown>[]> {
  const turns: Record<string, unknown>[] = [{ ...first }];
  let left = TAUGHT_CHARACTERS_MAX - JSON.stringify(first).length;
  let cursor: string | null = null;
  do {
    const query = { flow_id: first.flow_id, limit: PER_PAGE, ...(cursor === null ? {} : { cursor }) };
    const page: { items: unknown[]; next_cursor: string | null } = await readData(
      voiceApi.GET('/v1/flow-turns', { params: { query } }),
    );
    for (const item of page.items) {
      const turn = readTurn(item);
      if (turn === null || isSameTurn(turn, first)) continue;
      left -= JSON.stringify(turn).length;
      if (left < 0 || turns.length >= TAUGHT_TURNS_MAX) return turns;
      turns.push({ ...turn });
    }
    cursor = page.next_cursor;
  } while (cursor !== null);
  return turns;
}

const isSameTurn = (one: RecordedTurn, other: RecordedTurn): boolean =>
  one.turn === other.turn && one.input?.session_id === other.input?.session_id;
