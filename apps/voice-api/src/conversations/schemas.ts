// Wire shapes of conversations, transcripts and the intake (docs/voice-api.md#conversations,
// docs/voice-api.md#transcripts). event-schemas.ts has those of events, which are validated one by
// one.
import { z } from 'zod';
import { anyObject, pageQuery, voiceApiDialect } from '@parley/envelopes';
import { afterCall } from '../conversation-model/after-call-schemas.ts';
import { CHANNELS, DIRECTIONS, reportedEvent } from '../conversation-model/event-schemas.ts';
import { END_REASONS, ENDERS, STATUSES } from '../conversation-model/states.rules.ts';
import { transcriptTurn } from '../conversation-model/transcript-turn.ts';
import { PARTS } from '../retention/parts.rules.ts';

/** Events of one request (docs/voice-api.md#conversation-events). */
export const EVENTS_MAX = 500;
/** Enough for 500 long utterances with their words. */
export const EVENTS_BODY_BYTES_MAX = 8 * 1024 * 1024;
/** A cursor holds an id of 255 characters of up to three bytes each, in base64. */
const CURSOR_CHARACTERS_MAX = 1_200;

const time = voiceApiDialect.timeSchema;

const removedPart = z.strictObject({ at: time, reason: z.string().describe('Of the rule that applied') });

export const conversation = z
  .strictObject({
    id: z.string(),
    bot_id: z.string().nullable().describe('As the media runtime named it; the bot need not exist here'),
    status: z.enum(STATUSES),
    channel: z.enum(CHANNELS).nullable(),
    direction: z.enum(DIRECTIONS).nullable(),
    from: z.string().nullable(),
    to: z.string().nullable(),
    language: z.string().nullable(),
    started_at: time.nullable(),
    ended_at: time.nullable(),
    duration_seconds: z.number().nullable(),
    end_reason: z.enum(END_REASONS).nullable(),
    end_detail: z.string().nullable(),
    ended_by: z.enum(ENDERS).nullable(),
    error: z
      .strictObject({ code: z.string(), message: z.string() })
      .optional()
      .describe('Present in failed conversations'),
    turn_count: z.int(),
    truncated: z
      .literal(true)
      .optional()
      .describe('Turns were rejected because the conversation reached the limit of its plan'),
    quarantined_at: time
      .optional()
      .describe('Set when workers crashed with it. Its state is not final until an operator releases it'),
    flow_id: z.string().optional(),
    flow_version: z.int().optional(),
    metadata: anyObject,
    ...afterCall,
    recording_copy: z
      .strictObject({
        status: z.enum(['waiting', 'copied', 'failed']),
        bytes: z.int().optional(),
        content_type: z.string().optional(),
        copied_at: time.optional(),
        error: z.string().optional().describe('Why the last attempt to copy it failed'),
      })
      .optional()
      .describe('The copy of the recording in the bucket of the organisation'),
    removed: z
      .strictObject(Object.fromEntries(PARTS.map((part) => [part, removedPart.optional()])))
      .optional()
      .describe('Parts that were removed because their retention is over'),
    hold: z
      .strictObject({ reason: z.string(), at: time, by: z.string() })
      .optional()
      .describe('A legal hold: nothing is removed, and the conversation cannot be deleted'),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'Conversation' });

export const recordingLink = z
  .strictObject({
    url: z.string().describe('Signed by the store, which also answers requests for ranges'),
    expires_at: time,
    bytes: z.int(),
    content_type: z.string(),
  })
  .meta({ id: 'RecordingLink' });

export const conversationParams = z.strictObject({ conversation_id: z.string().max(255) });

export const turnListQuery = z.strictObject({
  ...pageQuery(),
  cursor: z.string().max(CURSOR_CHARACTERS_MAX).optional().describe('`next_cursor` of the previous page'),
});

export const flowTurnListQuery = turnListQuery.extend({
  flow_id: z.string().min(1).max(128).describe('The flow of the turns'),
});

/** Documented by the flow builder. Turns are returned as recorded, in any version. */
export const recordedTurn = z
  .looseObject({
    flow_id: z.string(),
    version: z.int(),
    turn: z.int(),
    status: z.string(),
    path: z
      .array(z.tuple([z.int(), z.int().nullable(), z.string().nullable()], z.unknown()))
      .describe('One entry a visit: index of the node, index of the edge taken, what decided'),
  })
  .meta({ id: 'RecordedTurn' });

export const transcriptQuery = z.strictObject({
  cursor: z.string().max(CURSOR_CHARACTERS_MAX).optional().describe('`next_cursor` of the previous page'),
});

export const transcript = z
  .strictObject({
    conversation_id: z.string(),
    status: z.enum(['partial', 'ready']),
    revision: z.int().describe('Number of accepted turn events'),
    sha256: z
      .string()
      .optional()
      .describe(
        'SHA-256 of JSON.stringify(turns) over all pages; on the first page only, and not of a scrubbed transcript',
      ),
    truncated: z
      .literal(true)
      .optional()
      .describe('Turns were rejected because the conversation reached the limit of its plan'),
    removed: removedPart.optional().describe('The transcript was removed. `turns` is empty'),
    turns: z.array(transcriptTurn),
    next_cursor: z
      .string()
      .optional()
      .describe('Set if there is more. The text forms name the next page in `Link`'),
  })
  .meta({ id: 'Transcript' });

/**
 * Documents the events for the API reference only: they are validated one by one
 * (event-schemas.ts). Named schemas are inlined, because this is a document of its own.
 */
const { $schema: _, $defs: named = {}, ...shape } = z.toJSONSchema(reportedEvent, { io: 'input' });
const eventShape = JSON.parse(JSON.stringify(shape), (_name, member: { $ref?: string } | null) =>
  member?.$ref ? named[member.$ref.replace('#/$defs/', '')] : member,
) as { title?: string };

const events = z
  .array(z.unknown().meta({ id: 'ConversationEvent', override: eventShape }))
  .min(1)
  .max(EVENTS_MAX);

/** Runtimes may also send the list itself. */
export const eventBatch = z
  .union(
    [z.strictObject({ events }), events],
    `must be {"events": […]} with 1 to ${EVENTS_MAX} events, or the list itself`,
  )
  .meta({ id: 'ConversationEventBatch' });

const NOTICE_CODES = ['IGNORED', 'END_REASON_MAPPED'] as const;
export type NoticeCode = (typeof NOTICE_CODES)[number];

export const intakeResult = z
  .strictObject({
    accepted: z.int(),
    duplicates: z.int().describe('Events whose id was known; they had no effect'),
    repeated: z.array(z.int()).optional().describe('Their indexes'),
    rejected: z
      .array(z.strictObject({ index: z.int(), code: z.string(), message: z.string() }))
      .describe('Paths in `message` are JSON pointers into the event'),
    mended: z
      .array(z.int())
      .optional()
      .describe(
        'Indexes of events in which U+FFFD replaced half a surrogate pair: the text was cut in the middle of a character',
      ),
    notices: z
      .array(z.strictObject({ index: z.int(), code: z.enum(NOTICE_CODES), message: z.string() }))
      .optional()
      .describe('Accepted events that were ignored or changed'),
  })
  .meta({ id: 'IntakeResult' });
