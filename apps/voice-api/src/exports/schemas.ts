// Wire shapes of exports (docs/voice-api.md#exports).
import { z } from 'zod';
import { pageQuery, voiceApiDialect } from '@parley/envelopes';
import { conversationFilter, searchText } from '../conversations/lists/filters.ts';
import { deliveryFilter } from '../deliveries/schemas.ts';

const time = voiceApiDialect.timeSchema;

export const FORMATS = ['jsonl', 'csv', 'vcon'] as const;
export type Format = (typeof FORMATS)[number];
const DELIVERY_FORMATS = ['jsonl', 'csv'] as const;
export type DeliveryFormat = (typeof DELIVERY_FORMATS)[number];
export const EXPORTABLE = ['conversations', 'deliveries'] as const;
export const EXPORT_STATUSES = ['queued', 'running', 'ready', 'failed'] as const;

/** The search text is one more condition. */
export const exportFilter = conversationFilter
  .extend({ q: searchText.min(1).optional() })
  .meta({ id: 'ExportFilter', description: 'All given conditions must match' });

export const newExport = z
  .discriminatedUnion('of', [
    z.strictObject({
      of: z.literal('conversations').optional().describe('The default'),
      format: z
        .enum(FORMATS)
        .default('jsonl')
        .describe(
          'jsonl: one conversation with its transcript a line. csv: its members without the transcript. vcon: one vCon a line',
        ),
      filter: exportFilter
        .default({})
        .describe('Selects among conversations that exist when the export is created'),
    }),
    z.strictObject({
      of: z.literal('deliveries'),
      format: z
        .enum(DELIVERY_FORMATS)
        .default('jsonl')
        .describe('jsonl: one delivery with its body and attempts a line. csv: its members without these'),
      filter: deliveryFilter
        .default({})
        .describe('Selects among deliveries that exist when the export is created'),
    }),
  ])
  .meta({
    id: 'NewExport',
    // Without `of` both variants may match, so the document must not say oneOf.
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
    error: z.string().optional().describe('Why the export failed'),
    items: z.int().describe('Conversations or deliveries written so far'),
    bytes: z.int(),
    parts: z.int().describe('Number of parts. Concatenate parts 1 to n to get the file'),
    created_at: time,
    finished_at: time.nullable(),
    expires_at: time.describe('The file is deleted at this time'),
  })
  .meta({ id: 'Export' });

export const exportParams = z.strictObject({ export_id: z.string().max(64) });
export const partParams = exportParams.extend({ part: z.coerce.number().int().min(1).max(1_000_000) });
export const exportListQuery = z.strictObject(pageQuery());
