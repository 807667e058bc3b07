// Wire shapes of simulations and stored tests.
import { z } from 'zod';
import { freeForm, isPathId } from '@parley/envelopes';
import { definition, onlyOneVersion, oneVersion, time, versionNumber } from '../versions/schemas.ts';
import {
  handoffResult,
  oneAnswer,
  playedToolResult,
  executeQuery,
  turnMembers,
  turnStatus,
  UTTERANCE_CHARACTERS_MAX,
} from '../turns/schemas.ts';

/** Turns of one test or simulation. */
const TURNS_MAX = 100;
/** A text after interpolation. Texts of a turn are far shorter. */
const MESSAGE_CHARACTERS_MAX = 1_000_000;
const utterance = z.string().max(UTTERANCE_CHARACTERS_MAX);
const bag = freeForm();
const now = z.number().min(0);

/** Texts and actions of one turn: as many as it may visit nodes. */
const PER_TURN_MAX = 10_000;

/** What arrives at one turn. */
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
        'Answer of the classifier in this turn: the index of a natural-language edge, or none (the default); a list answers several questions in order',
      ),
    extraction: bag
      .optional()
      .describe('Answer of the extractor in this turn; without it there is no extractor'),
    expect: z.strictObject({
      messages: z
        .array(z.string().max(MESSAGE_CHARACTERS_MAX))
        .max(PER_TURN_MAX)
        .optional()
        .describe('Every text of the turn, prompts included, in order'),
      next_node: z.string().max(128).nullable().optional(),
      status: turnStatus.optional(),
      variables: bag.optional().describe('Members that must be equal; others are ignored'),
      actions: z
        .array(bag)
        .max(PER_TURN_MAX)
        .optional()
        .describe('One for each action of the turn, with the members that it must have'),
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
    variables: bag.optional().describe('The variables that it begins with'),
    now: now.optional().describe('Epoch seconds that "tomorrow" is relative to; default: the real time'),
  })
  .meta({ id: 'ConversationTest' });

export type ConversationTest = z.output<typeof conversationTest>;

const testName = z.string().regex(/^[A-Za-z0-9_.:-]{1,128}$/, 'must be 1 to 128 of A-Z a-z 0-9 _ . : -');
export const testParams = z.strictObject({ flow_id: z.string().max(128), name: testName });
export const writtenTestParams = testParams.extend({
  name: testName.refine((name) => isPathId(name), 'must not be dots alone'),
});

const simulatedTurn = z
  .strictObject({
    ...playedTurn,
    now: now
      .optional()
      .describe('Epoch seconds that "tomorrow" is relative to, from this turn on; default: the real time'),
    variables: bag.optional().describe('Merged into the variables before the turn'),
  })
  .refine(...oneAnswer);

export const simulateRequest = z
  .strictObject({
    utterances: z
      .array(utterance.nullable())
      .max(TURNS_MAX)
      .optional()
      .describe('Utterances after the opening turn; null: silence'),
    turns: z
      .array(simulatedTurn)
      .min(1)
      .max(TURNS_MAX)
      .optional()
      .describe('Instead of `utterances`: every turn, the opening one included'),
    definition: definition.optional().describe('Instead of a stored version; the flow need not exist'),
    version: versionNumber.optional().describe('Default: the latest'),
    current_node: z.string().max(128).nullish().describe('Resumes at this node, without an opening turn'),
    variables: bag.optional(),
  })
  .refine((body) => (body.utterances === undefined) !== (body.turns === undefined), {
    path: ['utterances'],
    message: 'is needed, or `turns`',
  })
  .refine(oneVersion, onlyOneVersion)
  .meta({ id: 'SimulateRequest' });

export type SimulateRequest = z.output<typeof simulateRequest>;

export const simulateQuery = executeQuery.pick({ trace: true });

export const simulation = z
  .strictObject({
    flow_id: z.string(),
    version: z.int().nullable().describe('null: the definition in the request'),
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
    version: z.int().nullable().describe('null: the definition in the request'),
    passed: z.int(),
    failed: z.int(),
    results: z.array(z.strictObject({ name: z.string(), passed: z.boolean(), failures: z.array(failure) })),
  })
  .meta({ id: 'TestRun' });

export const runTestsRequest = z
  .strictObject({ definition: definition.optional().describe('Instead of a stored version') })
  .meta({ id: 'RunTestsRequest' });
