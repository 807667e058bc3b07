// Summarises a transcript turn by turn, without holding it in memory. Pure.
import { createHash } from 'node:crypto';
import type { TurnMetrics } from '../conversation-model/conversation.ts';
import type { TranscriptTurn } from './transcript.rules.ts';

export interface TranscriptDigest {
  readonly turns: number;
  readonly botTurns: number;
  readonly interruptions: number;
  /** In the order of the turns. */
  readonly latencies: Readonly<Record<keyof TurnMetrics, readonly number[]>>;
  /** SHA-256 of `JSON.stringify(turns)`. */
  readonly sha256: string;
  /** The turns in conversation.ended (docs/voice-api.md#delivery-body). */
  readonly excerpt: readonly object[];
}

/** Turns in conversation.ended; GET …/transcript has all. */
const EXCERPT_TURNS_MAX = 200;
/** Bytes of these turns as JSON. Receivers commonly limit bodies to a megabyte. */
const EXCERPT_BYTES_MAX = 256 * 1024;

export function createTranscriptDigest(): {
  add(turns: readonly TranscriptTurn[]): void;
  end(): TranscriptDigest;
} {
  const hash = createHash('sha256');
  let [turns, botTurns, interruptions] = [0, 0, 0];
  const latencies: Record<keyof TurnMetrics, number[]> = { e2e_ms: [], asr_ms: [], llm_ms: [], tts_ms: [] };
  const excerpt: object[] = [];
  let excerptBytes = 0;

  function addOne(turn: TranscriptTurn): void {
    hash.update(turns === 0 ? '[' : ',').update(JSON.stringify(turn));
    if (turn.role === 'bot') {
      botTurns += 1;
      if (turn.interrupted) interruptions += 1;
    }
    for (const stage of Object.keys(latencies) as (keyof TurnMetrics)[]) {
      const ms = turn.metrics?.[stage];
      if (ms !== undefined) latencies[stage].push(ms);
    }
    if (excerpt.length === turns && turns < EXCERPT_TURNS_MAX) {
      const { index, role, text, start_ms, end_ms, interrupted } = turn;
      const short = { index, role, text, start_ms, end_ms, interrupted };
      excerptBytes += Buffer.byteLength(JSON.stringify(short));
      if (excerptBytes <= EXCERPT_BYTES_MAX) excerpt.push(short);
    }
    turns += 1;
  }

  return {
    add: (some) => some.forEach(addOne),
    end: () => {
      const sha256 = hash.update(turns === 0 ? '[]' : ']').digest('hex');
      return { turns, botTurns, interruptions, latencies, sha256, excerpt };
    },
  };
}

export function computeTranscriptDigest(turns: readonly TranscriptTurn[]): TranscriptDigest {
  const digest = createTranscriptDigest();
  digest.add(turns);
  return digest.end();
}
