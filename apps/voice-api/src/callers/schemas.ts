// Wire shapes of callers (docs/voice-api.md#callers).
import { z } from 'zod';
import { pageQuery, voiceApiDialect } from '@parley/envelopes';
import { erased } from '../conversations/changes/schemas.ts';
import { CALLER_CHARACTERS_MAX } from '../conversations/lists/filters.ts';

const time = voiceApiDialect.timeSchema;
const counts = z.record(z.string(), z.int());

export const callerParams = z.strictObject({
  caller_id: z
    .string()
    .min(1)
    .max(CALLER_CHARACTERS_MAX)
    .describe('For example `tel:+493055501`, `mailto:jane@example.com` or `id:4711`'),
});
export const callerListQuery = z.strictObject({ ...pageQuery() });
export const callerDeletion = z.strictObject({
  dry_run: z
    .enum(['true', 'false'])
    .transform((given) => given === 'true')
    .optional()
    .describe('Only count the conversations'),
});

export const callerView = z
  .strictObject({
    id: z.string(),
    kind: z.enum(['phone', 'email', 'id']),
    addresses: z.array(z.string()).describe('As they were reported; at most 20'),
    conversations: z.int(),
    conversations_is_at_least: z
      .literal(true)
      .optional()
      .describe('There are more. A list counts 500 conversations of a caller, `GET /callers/{id}` 10,000'),
    first_at: time,
    last_at: time,
    last_conversation_id: z.string(),
    languages: z.array(z.string()),
    outcomes: counts.describe('Counted conversations by `status`'),
    end_reasons: counts.describe('Counted conversations by `end_reason`'),
  })
  .meta({ id: 'Caller' });
export const callerPage = voiceApiDialect.pageSchema(callerView);

export const erasedCaller = z
  .strictObject({
    id: z.string(),
    dry_run: z.boolean(),
    complete: z
      .boolean()
      .describe(
        'True: nothing of the caller is left. False: repeat the request, with `held` after the holds end',
      ),
    matched: z
      .int()
      .describe('Conversations: in a dry run all, up to 100,000; otherwise those of this answer'),
    matched_is_at_least: z.literal(true).optional(),
    held: z.int().optional().describe('Conversations under a legal hold. They are not erased'),
    erased: erased.optional(),
    certificate: z
      .strictObject({
        organization_id: z.string(),
        caller_sha256: z.string().describe('SHA-256 of `JSON.stringify([organization_id, id])`'),
        completed_at: time,
        erased,
      })
      .nullable()
      .describe(
        'Set when complete, with what this answer erased. It has no personal data; the audit log has the same digest',
      ),
  })
  .meta({ id: 'ErasedCaller' });
