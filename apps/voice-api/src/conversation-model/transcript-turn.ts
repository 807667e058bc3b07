// A turn of a transcript on the wire (docs/voice-api.md#transcripts).
import { z } from 'zod';
import { anyObject } from '@parley/envelopes';

export const transcriptTurn = z.strictObject({
  index: z.int().describe("The runtime's `turn_index`. It orders the turns and may have gaps"),
  role: z.enum(['user', 'bot', 'tool', 'system']),
  text: z.string(),
  start_ms: z.number().nullable().describe('Milliseconds from the start of the conversation'),
  end_ms: z.number().nullable(),
  confidence: z.number().nullable(),
  interrupted: z.boolean(),
  language: z.string().nullable(),
  words: z.array(anyObject).optional(),
  metrics: z
    .strictObject({ e2e_ms: z.number(), asr_ms: z.number(), llm_ms: z.number(), tts_ms: z.number() })
    .partial()
    .optional(),
  flow_id: z.string().optional(),
  flow_version: z.int().optional(),
  turn: z.int().optional().describe('The recorded turn of the flow'),
  node_id: z.string().optional().describe('The node that spoke, or that the user answered'),
});
