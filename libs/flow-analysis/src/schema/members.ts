// The tables of members: meaning, node types that read it, and default. The JSON Schema of a
// definition and the reference for authors come from them. Add a member in definition.ts or here.
// Types are those of definition.ts unless a row has a schema: for members read from the raw node,
// or with a table of values.
import { limits } from '@parley/flow-engine/define/limits';
import { spellings, text, type MemberSpec, type Schema } from './member-spec.ts';
import { exampleTexts } from './member-schemas.ts';
import { nodeMembers } from './node-members.ts';
import { operators } from '@parley/flow-engine/define/operators';

const flowMembers = {
  flow_id: { label: 'Id', meaning: 'The id where the request carries none; otherwise kept.', schema: {} },
  name: { label: 'Name', meaning: 'The name where the request carries none; otherwise kept.', schema: {} },
  start: {
    label: 'Start',
    meaning: 'Id of the entry node.',
    otherwise: 'the node with id "start", else the first',
    schema: { type: 'string' },
  },
  language: {
    label: 'Language',
    meaning: 'BCP 47: the words that answers are made of. The `language` of the bag goes before it.',
    default: 'en',
    schema: { type: 'string' },
  },
  agent_mode: {
    label: 'Where AI agents run',
    meaning: 'Where autonomous nodes run.',
    otherwise: 'AGENT_MODE of the service',
    schema: { enum: ['in_process', 'out_of_band'] },
  },
  nodes: {
    label: 'Nodes',
    meaning: 'The nodes.',
    schema: { type: 'array', maxItems: limits.nodesMax, items: { $ref: '#/$defs/node' } },
  },
  edges: {
    label: 'Edges',
    meaning: 'The edges; of one node they are tried in this order.',
    default: [],
    schema: { type: 'array', maxItems: limits.edgesMax, items: { $ref: '#/$defs/edge' } },
  },
} as const satisfies Record<string, MemberSpec>;

const comparisons: Schema = {
  type: 'array',
  minItems: 1,
  maxItems: limits.conditionsMax,
  items: {
    type: 'object',
    properties: {
      variable: { type: ['string', 'null'] },
      op: { anyOf: [spellings(operators), { type: 'null' }] },
    },
  },
};

const edgeMembers = {
  source: { label: 'From', meaning: 'Id of the node that it leaves.' },
  target: { label: 'To', meaning: 'Id of the node that it leads to.' },
  variable: { label: 'Variable', meaning: 'The path that is compared.' },
  op: {
    label: 'Operator',
    meaning: 'How it is compared.',
    otherwise: '`eq` with a `value`, `exists` without',
    schema: spellings(operators),
  },
  value: { label: 'Value', meaning: 'What it is compared with. Its texts are templates.', schema: {} },
  all: {
    label: 'All of',
    meaning: 'Comparisons in place of one: `{variable, op?, value?}`, all of which must hold.',
    schema: comparisons,
  },
  any: { label: 'Any of', meaning: 'Comparisons, one of which must hold.', schema: comparisons },
  nl: { label: 'In words', meaning: 'A condition in natural language.', schema: text },
  condition: { label: 'In words', meaning: 'Another name of `nl`.', schema: text },
  examples: {
    label: 'Examples',
    meaning: `What callers say who mean this edge: up to ${limits.examplesMax} texts of at most ${limits.exampleCharsMax} characters, beside \`nl\`.`,
    schema: exampleTexts,
  },
  counter_examples: {
    label: 'Counter-examples',
    meaning: 'What callers say who do not mean it, in the same form.',
    schema: exampleTexts,
  },
  label: { label: 'Label', meaning: 'For people, and a hint to the classifier.', schema: text },
  default: {
    label: 'Otherwise',
    meaning: 'The edge that is taken when nothing else is.',
    otherwise: 'true without a condition',
  },
  case_sensitive: { label: 'Case-sensitive', meaning: 'Texts compare with their case.', default: false },
} as const satisfies Record<string, MemberSpec>;

export const memberTables: Readonly<Record<'flow' | 'node' | 'edge', Readonly<Record<string, MemberSpec>>>> =
  {
    flow: flowMembers,
    node: nodeMembers,
    edge: edgeMembers,
  };

/**
 * Variables that the engine reads or writes. Those that describe the turn are in
 * engine-variables.ts.
 */
export const bagVariables: Readonly<Record<string, string>> = {
  _flow:
    "The engine's own notes: `turn`, `attempts`, `interrupted`, `call`, `filled_others`, `talk`. Read by flows, never written by them.",
  _transcript:
    'What an agent that talks sees of the conversation (`converse`): a list of `{role, content}`, written by the engine.',
  language: 'BCP 47, given by the caller: the language of the conversation, before that of the flow.',
  timezone:
    'Given by the caller: IANA name or offset that dates and times are read and told in; UTC without.',
  agent_result:
    'Outcome of an autonomous node without `output_var`: `status`, `answer`, `iterations`, `tool_calls`.',
};
