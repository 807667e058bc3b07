// Wire shapes of exports (docs/voice-api.md#exports).
import { z } from 'zod';
import { pageQuery, voiceApiDialect } from '@parley/envelopes';
import { conversationFilter, searched } from '../conversations/lists/filters.ts';
import { deliveryFilter } from '../webhooks/schemas.ts';

const time = voiceApiDialect.timeSchema;

export const FORMATS = ['jsonl', 'csv', 'vcon'] as const;
export type Format = (typeof FORMATS)[number];
const DELIVERY_FORMATS = ['jsonl', 'csv'] as const;
export type DeliveryFormat = (typeof DELIVERY_FORMATS)[number];
export const EXPORTABLE = ['conversations', 'deliveries'] as const;
export const EXPORT_STATUSES = ['queued', 'running', 'ready', 'failed'] as const;

/** The words that are searched for are one condition more. */
export const exportFilter = conversationFilter
  .extend({ q: searched.min(1).optional() })
  .meta({ id: 'ExportFilter', description: 'All that is given must be met' });

export const newExport = z
  .discriminatedUnion('of', [
    z.strictObject({
      of: z.literal('conversations').optional().describe('What is meant where nothing is said'),
      format: z
        .enum(FORMATS)
        .default('jsonl')
        .describe(
          'jsonl: a conversation with its transcript a line; csv: its members, without; vcon: a vCon a line',
        ),
      filter: exportFilter.default({}).describe('Of conversations that are there when it is asked for'),
    }),
    z.strictObject({
      of: z.literal('deliveries'),
      format: z
        .enum(DELIVERY_FORMATS)
        .default('jsonl')
        .describe('jsonl: a delivery with its body and its attempts a line; csv: its members, without'),
      filter: deliveryFilter.default({}).describe('Of deliveries that are there when it is asked for'),
    }),
  ])
  .meta({
    id: 'NewExport',
    // Without `of` nothing in the document keeps the two apart, so it may not say that only one of them fits.
    override: ({ jsonSchema }: { jsonSchema: { anyOf?: unknown; oneOf?: unknown } }) => {
      jsonSchema.anyOf = jsonSchema.oneOf;
      delete jsonSchema.oneOf;
    },
  });
export type NewExport = z.output<typeof newExport>;

export const exported = z
  .strictObject({
    id: z.string(),
    of: z.enum(EXPORTABLE),
    format: z.enum(FORMATS),
    filter: z.looseObject({}),
    status: z.enum(EXPORT_STATUSES),
    error: z.string().optional().describe('Of a failed one'),
    items: z.int().describe('Conversations or deliveries in it so far'),
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
