// Recorded turns of a flow (docs/why.md#a-recorded-turn), from the voice API.
import { recordedTurn, type RecordedTurn } from '@parley/flow-analysis';
import { readData, voiceApi } from './clients.ts';

/** Drops unknown members, which a newer flow builder may add. Null when it is no recorded turn. */
export const readTurn = (wire: unknown): RecordedTurn | null =>
  recordedTurn.strip().safeParse(wire).data ?? null;

const PER_PAGE = 100;
/** Turns, and their characters, which one request must hold. */
const TURNS_MAX = 1_000;
const CHARACTERS_MAX = 4 * 1024 * 1024;

/** The latest recorded turns of the flow; `first` before all others. */
export async function readFlowTurns(
  flowId: string,
  first: RecordedTurn | null = null,
): Promise<readonly RecordedTurn[]> {
  const turns: RecordedTurn[] = first === null ? [] : [first];
  let left = CHARACTERS_MAX - JSON.stringify(turns).length;
  let cursor: string | null = null;
  do {
    const query = { flow_id: flowId, limit: PER_PAGE, ...(cursor === null ? {} : { cursor }) };
    const page: { items: unknown[]; next_cursor: string | null } = await readData(
      voiceApi.GET('/v1/flow-turns', { params: { query } }),
    );
    for (const item of page.items) {
      const turn = readTurn(item);
      if (turn === null || (first !== null && isSameTurn(turn, first))) continue;
      left -= JSON.stringify(turn).length;
      if (left < 0 || turns.length >= TURNS_MAX) return turns;
      turns.push(turn);
    }
    cursor = page.next_cursor;
  } while (cursor !== null);
  return turns;
}

const isSameTurn = (one: RecordedTurn, other: RecordedTurn): boolean =>
  one.turn === other.turn && one.input?.session_id === other.input?.session_id;
