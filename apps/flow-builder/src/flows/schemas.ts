// Wire shapes of the flow builder, in and out (docs/flow-language.md#store, docs/flow-language.md#execute).
import { z } from 'zod';
import { idProblem } from '@parley/flow-engine';
import { formatNames } from '@parley/importers';
import { anyObject, flowBuilderDialect, freeForm, pageQuery } from '@parley/envelopes';
import { handoffResult, oneAnswer, playedToolResult, toolResult } from '../turns/caller-answer.ts';

/** Flows of a list page when the caller does not say (docs/platform.md#pages). */
const FLOWS_PER_PAGE = 50;
const NAME_CHARACTERS_MAX = 255;
export const SESSION_CHARACTERS_MAX = 255;
export const UTTERANCE_CHARACTERS_MAX = 100_000;
const NOTE_CHARACTERS_MAX = 1_000;
const ORGANIZATION_CHARACTERS_MAX = 255;
/** Room for the largest definition the engine accepts in practice; other bodies have 1 MiB (docs/platform.md#limits). */
export const DEFINITION_BODY_BYTES_MAX = 2 * 1024 * 1024;
/** Postgres integer. */
const VERSION_MAX = 2_147_483_647;

const time = flowBuilderDialect.timeSchema;

export const flowId = z
  .string()
  .superRefine((id, context) => {
    const message = idProblem(id);
    if (message !== null) context.addIssue({ code: 'custom', message });
  })
  .meta({ pattern: '^[A-Za-z0-9_.:-]{1,128}$' });

const name = z.string().trim().min(1).max(NAME_CHARACTERS_MAX);
/** Checked by the engine's parser, which knows every place that can be wrong. */
export const definition = freeForm().meta({
  description: 'A FlowDefinition; unknown members are kept',
  externalDocs: { description: 'Its JSON Schema', url: '/schemas/flow-definition.json' },
});
export const versionNumber = z.int().min(1).max(VERSION_MAX);
export const versionQuery = z.coerce.number().int().min(1).max(VERSION_MAX);

export const flowParams = z.strictObject({ flow_id: z.string().max(128) });

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

export const executeRequest = z
  .strictObject({
    session_id: z
      .string()
      .max(SESSION_CHARACTERS_MAX)
      .nullish()
      .describe('Correlation label; no session is stored'),
    current_node: z.string().max(128).nullish().describe("The turn before's `next_node`; null means start"),
    user_input: z.string().max(UTTERANCE_CHARACTERS_MAX).nullish(),
    tool_result: toolResult.nullish().describe('Of the tool that `current_node` waits for'),
    handoff_result: handoffResult.nullish().describe('Of the handoff that `current_node` comes back from'),
    variables: freeForm().nullish().describe('The variable bag, carried back every turn'),
    version: versionNumber.nullish().describe('Default: the published version'),
    bot_id: z
      .string()
      .min(1)
      .max(128)
      .nullish()
      .describe('Reports the turn to the voice API as part of the conversation `session_id` of this bot'),
  })
  .refine((body) => body.bot_id == null || (body.session_id ?? '') !== '', {
    path: ['session_id'],
    message: 'is needed with bot_id: it becomes the conversation id',
  })
  .refine(...oneAnswer)
  .meta({ id: 'ExecuteRequest' });

export const executeQuery = z.strictObject({
  version: versionQuery.optional(),
  trace: z
    .enum(['true', 'false'])
    .optional()
    .describe('Adds `trace`: every step, the edges tried and who decided'),
});

export const fetchQuery = z.strictObject({
  version: z
    .union([z.enum(['latest', 'published']), versionQuery])
    .default('latest')
    .describe('A version number, `latest` or `published`'),
});

export const validateQuery = z.strictObject({ version: versionQuery.optional() });

export const diffQuery = z.strictObject({
  from: versionQuery.optional().describe('Default: the published version, or the one before the latest'),
  to: versionQuery.optional().describe('Default: the latest'),
});

/** What is asked about is a definition that is sent, or a version that is stored. */
const oneVersion = ({ definition, version }: { definition?: unknown; version?: unknown }) =>
  definition === undefined || version === undefined;
const onlyOneVersion = { path: ['version'], message: 'stands beside a definition' };

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
});

export const archiveQuery = z.strictObject({
  restore: z.enum(['true', 'false']).optional().describe('true: brings an archived flow back'),
});

export const ledgerQuery = z.strictObject(pageQuery(FLOWS_PER_PAGE));

const head = {
  flow_id: z.string(),
  name: z.string(),
  latest_version: z.int(),
  created_at: time,
  updated_at: time,
  archived_at: time.optional().describe('Only of an archived flow'),
};

export const flowHead = z.strictObject(head).meta({ id: 'FlowHead' });

export const publishedHead = z
  .strictObject({ ...head, published_version: z.int().nullable(), published_at: time.nullable() })
  .meta({ id: 'PublishedHead' });

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

const turnStatus = z.enum(['waiting', 'waiting_for_tool', 'completed', 'handed_off', 'no_route']);

/** What a turn came to: the members that execute and simulate share. */
export const turnMembers = {
  status: turnStatus,
  next_node: z.string().nullable(),
  outputs: z.array(
    z.strictObject({
      type: z.enum(['message', 'prompt', 'reprompt']),
      node_id: z.string(),
      text: z.string(),
    }),
  ),
  actions: z.array(z.looseObject({ type: z.enum(['tool', 'autonomous', 'handoff']), node_id: z.string() })),
  variables: anyObject,
  input: z.looseObject({}).nullable().describe('What became of the utterance'),
  steps: z.int(),
  trace: z.array(z.looseObject({})).optional(),
};

export const turnResult = z
  .strictObject({
    flow_id: z.string(),
    version: z.int(),
    published: z.boolean().optional().describe('false: a draft answered, because nothing is published'),
    session_id: z.string().nullable(),
    ...turnMembers,
  })
  .meta({ id: 'TurnResult' });

/** Turns of one stored test or simulation: a conversation, not a load test. */
const TURNS_MAX = 100;
/** A text with everything that was put into it; a turn's result is far smaller. */
const MESSAGE_CHARACTERS_MAX = 1_000_000;
const utterance = z.string().max(UTTERANCE_CHARACTERS_MAX);
const bag = freeForm();
const now = z.number().min(0);

/** Texts and actions of one turn: as many as it may visit nodes at the most. */
const PER_TURN_MAX = 10_000;

/** What a turn of a conversation that is played brings. */
const playedTurn = {
  user_input: utterance.nullish(),
  tool_result: playedToolResult.nullish(),
  handoff_result: handoffResult.nullish(),
};

const classifierAnswer = z.union([z.int().min(0), z.literal('none')]);

const conversationTurn = z
  .strictObject({
    ...playedTurn,
    classifier: z
      .union([classifierAnswer, z.array(classifierAnswer).max(PER_TURN_MAX)])
      .optional()
      .describe(
        'What the classifier answers in this turn: the index of a natural-language edge, or none (the default); a list answers one question after the other',
      ),
    extraction: bag
      .optional()
      .describe('What the extractor answers in this turn; without it there is no extractor'),
    expect: z.strictObject({
      messages: z
        .array(z.string().max(MESSAGE_CHARACTERS_MAX))
        .max(PER_TURN_MAX)
        .optional()
        .describe('Every text the turn says, prompts included, in order'),
      next_node: z.string().max(128).nullable().optional(),
      status: turnStatus.optional(),
      variables: bag.optional().describe('Members that must be there; others may be'),
      actions: z
        .array(bag)
        .max(PER_TURN_MAX)
        .optional()
        .describe('As many as there are; of each the members that must be there'),
    }),
  })
  .refine(...oneAnswer);

export const conversationTest = z
  .strictObject({
    turns: z.array(conversationTurn).min(1).max(TURNS_MAX),
    current_node: z
      .string()
      .max(128)
      .nullish()
      .describe('Where the conversation begins; default: the start node'),
    variables: bag.optional().describe('The bag it begins with'),
    now: now.optional().describe('Epoch seconds that "tomorrow" is relative to; default: the real time'),
  })
  .meta({ id: 'ConversationTest' });

export type ConversationTest = z.output<typeof conversationTest>;
export type ConversationTurn = z.output<typeof conversationTurn>;

export const testParams = z.strictObject({
  flow_id: z.string().max(128),
  name: z.string().regex(/^[A-Za-z0-9_.:-]{1,128}$/, 'must be 1 to 128 of A-Z a-z 0-9 _ . : -'),
});

const simulatedTurn = z
  .strictObject({
    ...playedTurn,
    now: now
      .optional()
      .describe('Epoch seconds that "tomorrow" is relative to, from this turn on; default: the real time'),
    variables: bag
      .optional()
      .describe('Written into the bag before the turn, as a caller does with the result of a tool'),
  })
  .refine(...oneAnswer);

export const simulateRequest = z
  .strictObject({
    utterances: z
      .array(utterance.nullable())
      .max(TURNS_MAX)
      .optional()
      .describe('What the user says after the opening turn; null: stays silent'),
    turns: z
      .array(simulatedTurn)
      .min(1)
      .max(TURNS_MAX)
      .optional()
      .describe('In place of utterances: every turn, the opening one included'),
    definition: definition.optional().describe('In place of a stored version; the flow need not exist'),
    version: versionNumber.optional().describe('Default: the latest'),
    current_node: z.string().max(128).nullish().describe('Resumes there, without an opening turn'),
    variables: bag.optional(),
  })
  .refine((body) => (body.utterances === undefined) !== (body.turns === undefined), {
    path: ['utterances'],
    message: 'is needed, or `turns` in its place',
  })
  .refine(oneVersion, onlyOneVersion)
  .meta({ id: 'SimulateRequest' });

export type SimulateRequest = z.output<typeof simulateRequest>;

export const simulateQuery = executeQuery.pick({ trace: true });

export const simulation = z
  .strictObject({
    flow_id: z.string(),
    version: z.int().nullable().describe('null: the definition that was sent'),
    turns: z.array(z.strictObject({ user_input: z.string().nullable(), ...turnMembers })),
  })
  .meta({ id: 'Simulation' });

export const storedTest = z
  .strictObject({ name: z.string(), test: conversationTest, updated_at: time, updated_by: z.string() })
  .meta({ id: 'StoredTest' });

export const deletedTest = z.strictObject({ name: z.string(), deleted: z.literal(true) });

const failure = z.strictObject({ path: z.string(), expected: z.unknown(), actual: z.unknown() });

export const testRun = z
  .strictObject({
    version: z.int().nullable().describe('null: the definition that was sent'),
    passed: z.int(),
    failed: z.int(),
    results: z.array(z.strictObject({ name: z.string(), passed: z.boolean(), failures: z.array(failure) })),
  })
  .meta({ id: 'TestRun' });

export const runTestsRequest = z
  .strictObject({ definition: definition.optional().describe('In place of a stored version') })
  .meta({ id: 'RunTestsRequest' });

export type FlowRequest = z.output<typeof flowRequest>;
export type FlowUpdate = z.output<typeof flowUpdate>;
export type DuplicateRequest = z.output<typeof duplicateRequest>;
export type PublishRequest = z.output<typeof publishRequest>;
export type ValidateRequest = z.output<typeof validateRequest>;
export type ExecuteRequest = z.output<typeof executeRequest>;
