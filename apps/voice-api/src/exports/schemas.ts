// Wire shapes of exports (docs/voice-api.md#exports).
import { z } from 'zod';
import { pageQuery, voiceApiDialect } from '@parley/envelopes';
import { conversationFilter } from '../conversations/lists/filters.ts';

const time = voiceApiDialect.timeSchema;

export const FORMATS = ['jsonl', 'csv', 'vcon'] as const;
export type Format = (typeof FORMATS)[number];
export const EXPORT_STATUSES = ['queued', 'running', 'ready', 'failed'] as const;

export const newExport = z
  .strictObject({
    format: z
      .enum(FORMATS)
      .default('jsonl')
      .describe(
        'jsonl: a conversation with its transcript a line; csv: its members, without; vcon: a vCon a line',
      ),
    filter: conversationFilter.default({}).describe('Of conversations that are there when it is asked for'),
  })
  .meta({ id: 'NewExport' });
export type NewExport = z.output<typeof newExport>;

export const exported = z
  .strictObject({
    id: z.string(),
    format: z.enum(FORMATS),
    filter: z.looseObject({}),
    status: z.enum(EXPORT_STATUSES),
    error: z.string().optional().describe('Of a failed one'),
    items: z.int().describe('Conversations in it so far'),
    bytes: z.int(),
    parts: z.int().describe('Read them from 1 on, in their order: together they are the file'),
    created_at: time,
    finished_at: time.nullable(),
    expires_at: time.describe('Gone then'),
  })
  .meta({ id: 'Export' });

export const exportParams = z.strictObject({ export_id: z.string().max(64) });
export const partParams = exportParams.extend({ part: z.coerce.number().int().min(1).max(1_000_000) });
export const exportListQuery = z.strictObject(pageQuery());
