// Wire shapes of flows (docs/flow-language.md#store).
import { z } from 'zod';
import { formatNames } from '@parley/importers';
import { anyObject, freeForm, pageQuery } from '@parley/envelopes';
import {
  definition,
  FLOWS_PER_PAGE,
  flowId,
  onlyOneVersion,
  oneVersion,
  time,
  versionNumber,
  versionQuery,
} from '../versions/schemas.ts';

const NAME_CHARACTERS_MAX = 255;
const NOTE_CHARACTERS_MAX = 1_000;
const ORGANIZATION_CHARACTERS_MAX = 255;
const name = z.string().trim().min(1).max(NAME_CHARACTERS_MAX);
export const flowRequest = z
  .strictObject({
    organization_id: z
      .string()
      .max(ORGANIZATION_CHARACTERS_MAX)
      .optional()
      .describe('When given, it must be the organisation of the credential'),
    flow_id: flowId.optional().describe('Idempotent key; generated when omitted'),
    name: name.optional().describe("Default: the definition's name, else the flow_id"),
    definition,
  })
  .meta({ id: 'FlowRequest' });

export const flowUpdate = z
  .strictObject({
    name: name.optional(),
    definition: definition.optional(),
    base_version: versionNumber.optional().describe('Refused (412) when it is no longer the latest version'),
    note: z.string().max(NOTE_CHARACTERS_MAX).optional().describe('Kept in the version ledger'),
  })
  .meta({ id: 'FlowUpdate' });

export const duplicateRequest = z
  .strictObject({
    flow_id: flowId.optional().describe('Of the copy; generated when omitted'),
    name: name.optional().describe("Default: the original's"),
    version: versionNumber.optional().describe('Default: the latest'),
  })
  .meta({ id: 'DuplicateRequest' });

export const publishRequest = z
  .strictObject({
    version: versionNumber.optional().describe('Default: the latest'),
    skip_tests: z
      .literal(true)
      .optional()
      .describe("Publish although the flow's stored tests were not passed"),
    reason: z
      .string()
      .trim()
      .min(1)
      .max(NOTE_CHARACTERS_MAX)
      .optional()
      .describe('Kept in the log of publications'),
  })
  .refine((body) => !body.skip_tests || body.reason !== undefined, {
    path: ['reason'],
    message: 'is needed with skip_tests',
  })
  .meta({ id: 'PublishRequest' });

export const validateRequest = z
  .strictObject({ definition: definition.optional().describe('Default: the stored flow') })
  .meta({ id: 'ValidateRequest' });

export const fetchQuery = z.strictObject({
  version: z
    .union([z.enum(['latest', 'published']), versionQuery])
    .default('latest')
    .describe('A version number, `latest` or `published`'),
});

export const diffQuery = z.strictObject({
  from: versionQuery.optional().describe('Default: the published version, or the one before the latest'),
  to: versionQuery.optional().describe('Default: the latest'),
});

export const diffRequest = z
  .strictObject({
    definition,
    from: versionNumber.optional().describe('Default: the published version, or the latest'),
  })
  .meta({ id: 'DiffRequest' });

const format = z.enum(['mermaid', 'dot', 'svg']).default('mermaid');

export const diagramRequest = z
  .strictObject({
    format,
    definition: definition.optional().describe('In place of a stored version; the flow need not exist'),
    version: versionNumber.optional().describe('Default: the latest'),
  })
  .refine(oneVersion, onlyOneVersion)
  .meta({ id: 'DiagramRequest' });

export const diagramQuery = z.strictObject({
  format,
  version: versionQuery.optional().describe('Default: the latest'),
});

export const flowListQuery = z.strictObject({
  ...pageQuery(FLOWS_PER_PAGE),
  q: z.string().max(NAME_CHARACTERS_MAX).optional().describe('Part of the name or of the flow_id'),
  published: z.enum(['true', 'false']).optional(),
  archived: z.enum(['true', 'false']).optional().describe('true: archived flows too'),
  state: z
    .enum(['true', 'false'])
    .optional()
    .describe(
      'true: with what is published, since when and by whom, and how many problems the latest version has',
    ),
});

export const archiveQuery = z.strictObject({
  restore: z.enum(['true', 'false']).optional().describe('true: brings an archived flow back'),
});

const head = {
  flow_id: z.string(),
  name: z.string(),
  latest_version: z.int(),
  created_at: time,
  updated_at: time,
  archived_at: time.optional().describe('Only of an archived flow'),
};

export const flowHead = z.strictObject(head).meta({ id: 'FlowHead' });

const published = { published_version: z.int().nullable(), published_at: time.nullable() };

export const publishedHead = z.strictObject({ ...head, ...published }).meta({ id: 'PublishedHead' });

/** A head; with `state` also the optional members. */
export const listedFlow = z
  .strictObject({
    ...head,
    ...published,
    published_by: z.string().nullable(),
    problems: z
      .strictObject({ errors: z.int(), warnings: z.int() })
      .describe('How many the latest version has'),
  })
  .partial({ published_version: true, published_at: true, published_by: true, problems: true })
  .meta({ id: 'ListedFlow' });

const issue = z.looseObject({ code: z.string(), message: z.string() });

export const validation = z
  .looseObject({
    valid: z.boolean(),
    errors: z.array(issue),
    warnings: z.array(issue),
    infos: z.array(issue),
    stats: z.looseObject({}),
    required_variables: z.array(z.string()),
  })
  .meta({ id: 'Validation' });

/** A folder of a Dialogflow CX agent has a file for each page and language. */
export const IMPORT_BODY_BYTES_MAX = 5 * 1024 * 1024;

export const importRequest = z
  .strictObject({
    source: freeForm().describe(
      'The document, or `{files: {<path>: <text or object>}}` of a product that keeps a flow in a folder',
    ),
    format: z.enum(formatNames).optional().describe('What it is; without, the first format that knows it'),
  })
  .meta({ id: 'ImportRequest' });
export type ImportRequest = z.infer<typeof importRequest>;

const count = z.int().min(0);
export const importedFlow = z
  .strictObject({
    format: z.enum(formatNames),
    definition: anyObject.describe('As POST /v1/flows takes it'),
    nodes: z.strictObject({ mapped: count, approximated: count, dropped: count }),
    report: z.array(
      z.strictObject({
        pointer: z.string().describe('Of the node of the source, into `source`'),
        name: z.string(),
        type: z.string().describe('As the source calls it'),
        outcome: z.enum(['mapped', 'approximated', 'dropped']),
        reason: z.string().nullable(),
        node_ids: z.array(z.string()).describe('What stands for it'),
      }),
    ),
    validation,
  })
  .meta({ id: 'ImportedFlow' });

const pinnedCall = z
  .strictObject({
    node_id: z.string().describe('Of the branch node; `outer/inner` of a call inside a call'),
    flow_id: z.string(),
    version: z.int(),
  })
  .meta({ id: 'PinnedCall' });

export const storedFlow = z
  .strictObject({
    flow_id: z.string(),
    name: z.string(),
    version: z.int(),
    latest_version: z.int(),
    definition: anyObject,
    validation,
    calls: z.array(pinnedCall).optional().describe('The versions that it runs with, where it calls flows'),
    created_at: time,
    updated_at: time,
    published_version: z.int().nullable(),
    is_draft: z.boolean().describe('Not the published version'),
    is_published: z.boolean(),
    etag: z.string(),
  })
  .meta({ id: 'StoredFlow' });

const change = z.strictObject({ path: z.string(), before: z.unknown(), after: z.unknown() });
const changedPart = z.looseObject({});

export const flowDiff = z
  .strictObject({
    from: z.int(),
    to: z.int().nullable().describe('null: the definition that was sent'),
    identical: z.boolean().describe('Nothing changed but the layout and the order of nodes'),
    summary: z.array(z.string()),
    calls: z
      .array(z.strictObject({ node_id: z.string(), flow_id: z.string(), before: z.int(), after: z.int() }))
      .optional()
      .describe('Calls that run another version'),
    metadata: z.array(change.partial({ before: true, after: true })),
    nodes: z.strictObject({
      added: z.array(changedPart),
      removed: z.array(changedPart),
      changed: z.array(changedPart),
    }),
    edges: z.strictObject({
      added: z.array(changedPart),
      removed: z.array(changedPart),
      changed: z.array(changedPart),
      moved: z.array(changedPart).describe('Tried earlier or later than before: order is priority'),
    }),
    patch: z
      .array(changedPart)
      .describe('RFC 6902: applied to the definition of `from` it gives that of `to`'),
  })
  .meta({ id: 'FlowDiff' });

export const ledgerEntry = z
  .strictObject({
    version: z.int(),
    name: z.string(),
    is_draft: z.boolean(),
    is_published: z.boolean(),
    created_at: time,
    created_by: z.string(),
    note: z.string().optional(),
    hash: z.string(),
  })
  .meta({ id: 'VersionLedgerEntry' });

export const publication = z
  .strictObject({
    version: z.int().nullable().describe('null: the pointer was cleared'),
    skip_tests: z.boolean(),
    reason: z.string().optional(),
    published_at: time,
    published_by: z.string(),
  })
  .meta({ id: 'Publication' });

export type FlowRequest = z.output<typeof flowRequest>;
export type FlowUpdate = z.output<typeof flowUpdate>;
export type DuplicateRequest = z.output<typeof duplicateRequest>;
export type PublishRequest = z.output<typeof publishRequest>;
export type ValidateRequest = z.output<typeof validateRequest>;
