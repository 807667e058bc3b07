// The table of members of a node (see members.ts).
import { repromptStatuses } from '@parley/flow-engine/define/answer-rules';
import { classifierOrders } from '@parley/flow-engine/define/examples';
import { casts } from '@parley/answers';
import { limits } from '@parley/flow-engine/define/limits';
import { spellings, text, type MemberSpec } from './member-spec.ts';
import { nodeTypes } from '@parley/flow-engine/define/node-types';

import { id, flag, object, count, words, constraints, assignment, call } from './member-schemas.ts';

export const nodeMembers = {
  id: { label: 'Id', meaning: 'Unique in the flow.', schema: id },
  type: { label: 'Kind', meaning: 'What the node does.', schema: spellings(nodeTypes) },
  label: { label: 'Title', meaning: 'For people: the title of the card. The engine ignores it.', schema: {} },
  text: {
    label: 'Text',
    on: ['message', 'end', 'handoff'],
    meaning: 'The text that the bot says. A template.',
    schema: text,
  },
  message: {
    label: 'Closing message',
    on: ['end', 'handoff'],
    meaning: 'The last words. A template.',
    otherwise: '`text`',
    schema: text,
  },
  prompt: {
    label: 'Prompt',
    labelOn: { collect: 'Question', global: 'Persona', autonomous: 'Instructions' },
    on: ['collect', 'global', 'autonomous'],
    meaning: 'The question; the persona; the system prompt of the node. A template.',
    schema: text,
  },
  variants: {
    label: 'Other wordings',
    help: 'Alternative texts, one per line.',
    on: ['message', 'collect'],
    meaning: 'Other ways to say `text` or `prompt`: a list of up to 20 texts. Templates.',
    schema: { type: 'array', maxItems: limits.variantsMax, items: { ...text, pattern: '\\S' } },
  },
  set: {
    label: 'Set variables',
    help: 'Applied in this order when the walk leaves the node.',
    meaning:
      'Variables that are written when the node is left, in order: a list of `{variable, to}`, `{variable, add}`, `{variable, append}`, `{variable, remove}` or `{variable, clear: true}`.',
    schema: { type: 'array', maxItems: limits.assignmentsMax, items: assignment },
  },
  reprompt: {
    label: 'When not understood',
    help: 'Message after an answer that was not understood.',
    on: ['collect'],
    meaning: 'Said when the answer was not understood. A template.',
    otherwise: '`prompt`',
    schema: text,
  },
  reprompts: {
    label: 'Text for each failure',
    help: 'A separate text for each reason why an answer fails.',
    on: ['collect'],
    meaning:
      'A text for each way an answer can fail, `{no_match, no_input, out_of_range}`, and for one that filled other variables alone: `filled_others`. Templates.',
    otherwise: '`reprompt`; `prompt` for `filled_others`',
    schema: {
      type: 'object',
      properties: Object.fromEntries(
        repromptStatuses.map((status) => [status, { anyOf: [text, { type: 'null' }] }]),
      ),
      additionalProperties: false,
    },
  },
  variable: {
    label: 'Save answer as',
    help: 'Variable that stores the answer.',
    on: ['collect'],
    meaning: 'The path that the answer is captured at.',
  },
  cast: {
    label: 'Type of answer',
    on: ['collect'],
    meaning: 'What the answer must be.',
    default: 'string',
    schema: { enum: ['', ...(spellings(casts)['enum'] as string[])] },
  },
  choices: {
    label: 'Choices',
    help: 'One per line, with synonyms after a colon: red: crimson, scarlet',
    on: ['collect'],
    meaning: 'What the cast enum takes: `["day", {value: "time", synonyms: ["hour"]}]`.',
  },
  default_region: {
    label: 'Country of phone numbers',
    help: 'ISO 3166 code, for example DE.',
    on: ['collect'],
    meaning: 'Country of a phone number that is said without one, as ISO 3166 has it.',
  },
  strict: {
    label: 'Exact answers only',
    help: 'The whole answer must be the value.',
    advanced: true,
    on: ['collect'],
    meaning: 'The whole answer must be the value, and one reading of it certain.',
    default: false,
    schema: flag,
  },
  reading: {
    label: 'Words around the answer',
    options: { sentence: 'Allowed: a sentence is fine', whole: 'Not allowed: every word counts' },
    advanced: true,
    on: ['collect'],
    meaning:
      '`whole`: every word of the answer must be accounted for. `sentence`: a value among other words is an answer too. `strict` implies `whole`.',
    default: 'sentence',
    schema: { enum: ['whole', 'sentence'] },
  },
  read_with: {
    label: 'Second reading',
    options: { model: 'By a model' },
    advanced: true,
    on: ['collect'],
    meaning:
      '`model`: what the cast refuses is read once more by a model, whose proposal the cast must accept.',
    schema: { enum: ['model'] },
  },
  prefer: {
    label: 'Ambiguous dates',
    options: { future: 'The next one', past: 'The last one', nearest: 'The nearest one' },
    on: ['collect'],
    meaning: 'Which of the days or times that an answer may mean: `future`, `past` or `nearest`.',
    default: 'future',
    schema: { enum: ['future', 'past', 'nearest'] },
  },
  date_order: {
    label: 'Order of dates in digits',
    options: { dmy: 'Day, month, year', mdy: 'Month, day, year', ymd: 'Year, month, day' },
    advanced: true,
    on: ['collect'],
    meaning: 'Of a date in digits: `dmy`, `mdy` or `ymd`.',
    otherwise: 'as `language` has it',
    schema: { enum: ['dmy', 'mdy', 'ymd'] },
  },
  unit: {
    label: 'Units',
    help: 'Units that may follow the number, one per line.',
    on: ['collect'],
    meaning: 'A word, or a list of words, that may stand beside a number: `["people", "guests"]`.',
    schema: { anyOf: [{ type: 'string' }, words] },
  },
  min: {
    label: 'Minimum',
    on: ['collect'],
    meaning:
      'The least number, day or time (in ISO 8601, or `today`, `now`), or the least length of a text or list. Below it is `out_of_range`.',
    schema: { type: ['number', 'string'] },
  },
  max: {
    label: 'Maximum',
    on: ['collect'],
    meaning:
      'The greatest number, day or time (in ISO 8601, or `today`, `now`), or the greatest length of a text or list. Above it is `out_of_range`.',
    schema: { type: ['number', 'string'] },
  },
  pattern: {
    label: 'Pattern',
    help: 'RE2 syntax.',
    advanced: true,
    on: ['collect'],
    meaning: 'What the answer must match: RE2 syntax, unanchored and without case.',
    schema: { type: 'string', maxLength: limits.patternCharsMax },
  },
  default_answer: {
    label: 'Default answer',
    help: 'Used when no attempts are left.',
    on: ['collect'],
    meaning:
      'Captured in place of the last failure that `max_attempts` allows. A text is read by the cast, as an answer is.',
    schema: {},
  },
  also: {
    label: 'Also fills',
    help: 'Variables of other questions that the answer may fill, one per line.',
    advanced: true,
    on: ['collect'],
    meaning: `Variables of other collect nodes that an answer to this one may fill too, by the rules of those nodes: at most ${limits.alsoMax}.`,
    default: [],
    schema: { ...words, maxItems: limits.alsoMax },
  },
  skip_if_set: {
    label: 'Skip when answered',
    help: 'Skip the question when its variable already holds an answer.',
    on: ['collect', 'global'],
    meaning:
      'The question is not asked where its variable holds a value that it would accept. On the global node: the default of all questions.',
    default: false,
    schema: flag,
  },
  allow_empty: {
    label: 'Accept silence',
    help: 'Accept silence as an answer.',
    on: ['collect'],
    meaning: 'Silence is an answer.',
    default: false,
  },
  max_attempts: {
    label: 'Attempts',
    help: 'Empty: the question repeats without limit.',
    on: ['collect'],
    meaning: 'The failure at which the node is left without an answer.',
    otherwise: 'no end',
  },
  extraction: {
    label: 'Extract more values',
    help: 'A JSON Schema of further values to extract from the answer.',
    advanced: true,
    on: ['collect'],
    meaning:
      'What else to take from the answer: a JSON Schema of type object, or `{variables: [{name, type}]}`.',
    schema: object,
  },
  tool: { label: 'Action', on: ['tool'], meaning: 'The name of the action.' },
  args: {
    label: 'Arguments',
    help: 'Values are templates.',
    on: ['tool'],
    meaning: 'Its arguments. Templates.',
    default: {},
    schema: object,
  },
  wait_for_result: {
    label: 'Wait for the result',
    help: 'The turn ends here, and the next one brings the result.',
    on: ['tool'],
    meaning:
      'The turn ends here, and the next one brings the result; edges then read `_tool_status` and `_tool_error`.',
    default: false,
    schema: flag,
  },
  output_var: {
    label: 'Save result as',
    help: 'Variable that stores the result.',
    on: ['tool', 'autonomous'],
    meaning: 'The variable of the result.',
    otherwise: '`agent_result` of an autonomous node',
  },
  output_schema: {
    label: 'Schema of the result',
    help: 'A JSON Schema of the result: validation reports members that it does not name.',
    advanced: true,
    on: ['tool'],
    meaning:
      'The result as a JSON Schema. A result without a `required` member counts as an error of the tool.',
    schema: object,
  },
  goal: {
    label: 'Goal',
    on: ['autonomous'],
    meaning: 'What the agent is to reach. A template.',
    schema: text,
  },
  tools: { label: 'Tools', advanced: true, meaning: 'Bindings of tools: an autonomous node passes them on.' },
  tool_dispatch: {
    label: 'Addresses of tools',
    advanced: true,
    on: ['autonomous'],
    meaning: 'Where each tool is called: `{<tool>: {url, method?, headers?}}`.',
    schema: object,
  },
  documents: {
    label: 'Documents',
    advanced: true,
    meaning: 'Bindings of knowledge: an autonomous node passes them on.',
  },
  mcp: {
    label: 'MCP servers',
    advanced: true,
    meaning: 'Bindings of tool servers: an autonomous node passes them on.',
    schema: { type: ['object', 'array'] },
  },
  model: {
    label: 'Model',
    on: ['global'],
    meaning:
      'The model of the flow for every use that is configured: one of `usable_models` of `GET /v1/gateway/settings`.',
    otherwise: 'the models of the organisation',
    schema: { type: 'string', minLength: 1, maxLength: 200 },
  },
  classifier: {
    label: 'Branches with examples',
    options: {
      examples_first: 'Examples decide; ask the model in doubt',
      model_first: 'The model decides; use examples in doubt',
      examples_only: 'Examples alone, no model',
    },
    advanced: true,
    on: ['global'],
    meaning: `Who decides a branch with examples: ${Object.entries(classifierOrders)
      .map(([order, who]) => `\`${order}\`: ${who}`)
      .join('; ')}.`,
    default: 'examples_first',
    schema: { enum: Object.keys(classifierOrders) },
  },
  add_global_prompt: {
    label: 'Include the persona',
    on: ['autonomous'],
    meaning: 'The persona stands before the prompt of the node.',
    default: true,
  },
  max_iterations: {
    label: 'Steps at most',
    advanced: true,
    on: ['autonomous'],
    meaning: `Turns of the agent loop, at most ${limits.agentIterationsMax}.`,
    default: limits.agentIterationsDefault,
  },
  turn_budget: {
    label: 'Time limit',
    help: 'Seconds.',
    advanced: true,
    on: ['autonomous'],
    meaning: `Seconds of the agent loop, at most ${limits.agentBudgetSecondsMax}.`,
    default: limits.agentBudgetSecondsDefault,
  },
  converse: {
    label: 'Talk with the caller',
    help: 'The agent talks: it speaks, waits here for the caller, and leaves by the edges. The default edge is taken when a limit is used up.',
    on: ['autonomous'],
    meaning:
      'The agent talks: it speaks, waits here for the caller, sees the transcript, and is left by its edges or when its bounds are used up.',
    default: false,
    schema: flag,
  },
  max_turns: {
    label: 'Turns at most',
    help: 'Utterances that an agent that talks answers.',
    on: ['autonomous'],
    meaning: `Utterances that an agent that talks answers, at most ${limits.talkTurnsMax}; then the default edge is taken.`,
    default: limits.talkTurnsDefault,
    schema: { type: 'integer', minimum: 1, maximum: limits.talkTurnsMax },
  },
  context_vars: {
    label: 'Shared variables',
    help: 'Variables that the agent receives, one per line.',
    on: ['autonomous'],
    meaning: 'The variables that the agent is handed.',
    default: [],
  },
  target: { label: 'Hand over to', on: ['handoff'], meaning: 'Where the caller routes to.' },
  reason: { label: 'Reason', on: ['handoff'], meaning: 'Why. A template.', schema: text },
  returns: {
    label: 'Caller may return',
    help: 'The conversation may return and then continues here.',
    on: ['handoff'],
    meaning:
      'The conversation may come back, and then goes on by the edges of the node, which read `_handoff_status`.',
    default: false,
    schema: flag,
  },
  on: {
    label: 'Command',
    on: ['trigger'],
    meaning:
      '`any_turn` makes a command of it: its edges, each with a condition, are tried at every question on what was said.',
  },
  priority: {
    label: 'Priority',
    help: 'Whether the engine tries it after or before the edges of the question.',
    options: { after: 'After the question', before: 'Before the question' },
    advanced: true,
    on: ['trigger'],
    meaning: 'Whether a command is tried `before` or `after` the edges of the question.',
    default: 'after',
  },
  answers_question: {
    label: 'Answers the question',
    advanced: true,
    on: ['trigger'],
    meaning:
      'The words that call the command answer the question that an edge of it leads to: "no, I said Friday". Where they are no answer, it is asked.',
    default: false,
    schema: flag,
  },
  resume: {
    label: 'Return to the question',
    help: 'Returns to the question that the command interrupted.',
    on: ['end'],
    meaning: 'Goes back to the question that a command interrupted.',
    default: false,
  },
  call: {
    label: 'Call a flow',
    on: ['branch'],
    meaning: 'Another flow that is walked here: `{flow_id, version, input?, output?}`.',
    schema: call,
  },
  graph_constraints: {
    label: 'Limits of edges',
    advanced: true,
    meaning: 'How many edges and nodes there may be, member by member.',
    otherwise: 'as the type has it',
    schema: { type: 'object', properties: Object.fromEntries(constraints.map((name) => [name, count])) },
  },
  url: {
    label: 'URL',
    help: 'A public https address.',
    on: ['webhook'],
    meaning: 'A public https address. A template.',
    schema: { type: 'string' },
  },
  events: {
    label: 'Called when',
    help: 'completed or handed_off, one per line.',
    on: ['webhook'],
    meaning: 'The endings that it is called for: `completed`, `handed_off`.',
    otherwise: 'both',
    schema: words,
  },
  payload: {
    label: 'Payload',
    advanced: true,
    on: ['webhook'],
    meaning: 'The `data` of the call. Templates.',
    otherwise: '`{flow_id, version, session_id, variables}`',
    schema: {},
  },
  headers: {
    label: 'Headers',
    help: 'Values are templates.',
    advanced: true,
    on: ['webhook'],
    meaning: 'Headers of the call. Templates.',
    default: {},
    schema: object,
  },
} as const satisfies Record<string, MemberSpec>;
