// The table of members of a node (see members.ts).
import { repromptStatuses } from '@parley/flow-engine/define/answer-rules';
import { casts } from '@parley/answers';
import { limits } from '@parley/flow-engine/define/limits';
import { spellings, text, type MemberSpec } from './member-spec.ts';
import { nodeTypes } from '@parley/flow-engine/define/node-types';

import { id, flag, object, count, words, constraints, assignment, call } from './member-schemas.ts';

export const nodeMembers = {
  id: { meaning: 'Unique in the flow.', schema: id },
  type: { meaning: 'What the node does.', schema: spellings(nodeTypes) },
  text: { on: ['message', 'end', 'handoff'], meaning: 'What is said. A template.', schema: text },
  message: {
    on: ['end', 'handoff'],
    meaning: 'The last words. A template.',
    otherwise: '`text`',
    schema: text,
  },
  prompt: {
    on: ['collect', 'global', 'autonomous'],
    meaning: 'The question; the persona; the system prompt of the node. A template.',
    schema: text,
  },
  variants: {
    on: ['message', 'collect'],
    meaning: 'Other ways to say `text` or `prompt`: a list of up to 20 texts. Templates.',
    schema: { type: 'array', maxItems: limits.variantsMax, items: { ...text, pattern: '\\S' } },
  },
  set: {
    meaning:
      'Variables that are written when the node is left, in order: a list of `{variable, to}`, `{variable, add}`, `{variable, append}`, `{variable, remove}` or `{variable, clear: true}`.',
    schema: { type: 'array', maxItems: limits.assignmentsMax, items: assignment },
  },
  reprompt: {
    on: ['collect'],
    meaning: 'Said when the answer was not understood. A template.',
    otherwise: '`prompt`',
    schema: text,
  },
  reprompts: {
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
  variable: { on: ['collect'], meaning: 'The path that the answer is captured at.' },
  cast: {
    on: ['collect'],
    meaning: 'What the answer must be.',
    default: 'string',
    schema: { enum: ['', ...(spellings(casts)['enum'] as string[])] },
  },
  choices: {
    on: ['collect'],
    meaning: 'What the cast enum takes: `["day", {value: "time", synonyms: ["hour"]}]`.',
  },
  default_region: {
    on: ['collect'],
    meaning: 'Country of a phone number that is said without one, as ISO 3166 has it.',
  },
  strict: {
    on: ['collect'],
    meaning: 'The whole answer must be the value, and one reading of it certain.',
    default: false,
    schema: flag,
  },
  reading: {
    on: ['collect'],
    meaning:
      '`whole`: every word of the answer must be accounted for. `sentence`: a value among other words is an answer too. `strict` implies `whole`.',
    default: 'sentence',
    schema: { enum: ['whole', 'sentence'] },
  },
  read_with: {
    on: ['collect'],
    meaning:
      '`model`: what the cast refuses is read once more by a model, whose proposal the cast must accept.',
    schema: { enum: ['model'] },
  },
  prefer: {
    on: ['collect'],
    meaning: 'Which of the days or times that an answer may mean: `future`, `past` or `nearest`.',
    default: 'future',
    schema: { enum: ['future', 'past', 'nearest'] },
  },
  date_order: {
    on: ['collect'],
    meaning: 'Of a date in digits: `dmy`, `mdy` or `ymd`.',
    otherwise: 'as `language` has it',
    schema: { enum: ['dmy', 'mdy', 'ymd'] },
  },
  unit: {
    on: ['collect'],
    meaning: 'A word, or a list of words, that may stand beside a number: `["people", "guests"]`.',
    schema: { anyOf: [{ type: 'string' }, words] },
  },
  min: {
    on: ['collect'],
    meaning:
      'The least number, day or time (in ISO 8601, or `today`, `now`), or the least length of a text or list. Below it is `out_of_range`.',
    schema: { type: ['number', 'string'] },
  },
  max: {
    on: ['collect'],
    meaning:
      'The greatest number, day or time (in ISO 8601, or `today`, `now`), or the greatest length of a text or list. Above it is `out_of_range`.',
    schema: { type: ['number', 'string'] },
  },
  pattern: {
    on: ['collect'],
    meaning: 'What the answer must match: RE2 syntax, unanchored and without case.',
    schema: { type: 'string', maxLength: limits.patternCharsMax },
  },
  default_answer: {
    on: ['collect'],
    meaning:
      'Captured in place of the last failure that `max_attempts` allows. A text is read by the cast, as an answer is.',
    schema: {},
  },
  also: {
    on: ['collect'],
    meaning: `Variables of other collect nodes that an answer to this one may fill too, by the rules of those nodes: at most ${limits.alsoMax}.`,
    default: [],
    schema: { ...words, maxItems: limits.alsoMax },
  },
  skip_if_set: {
    on: ['collect', 'global'],
    meaning:
      'The question is not asked where its variable holds a value that it would accept. On the global node: the default of all questions.',
    default: false,
    schema: flag,
  },
  allow_empty: { on: ['collect'], meaning: 'Silence is an answer.', default: false },
  max_attempts: {
    on: ['collect'],
    meaning: 'The failure at which the node is left without an answer.',
    otherwise: 'no end',
  },
  extraction: {
    on: ['collect'],
    meaning:
      'What else to take from the answer: a JSON Schema of type object, or `{variables: [{name, type}]}`.',
    schema: object,
  },
  tool: { on: ['tool'], meaning: 'The name of the action.' },
  args: { on: ['tool'], meaning: 'Its arguments. Templates.', default: {}, schema: object },
  wait_for_result: {
    on: ['tool'],
    meaning:
      'The turn ends here, and the next one brings the result; edges then read `_tool_status` and `_tool_error`.',
    default: false,
    schema: flag,
  },
  output_var: {
    on: ['tool', 'autonomous'],
    meaning: 'The variable of the result.',
    otherwise: '`agent_result` of an autonomous node',
  },
  output_schema: {
    on: ['tool'],
    meaning:
      'The result as a JSON Schema. A result without a `required` member counts as an error of the tool.',
    schema: object,
  },
  goal: { on: ['autonomous'], meaning: 'What the agent is to reach. A template.', schema: text },
  tools: { meaning: 'Bindings of tools: an autonomous node passes them on.' },
  tool_dispatch: {
    on: ['autonomous'],
    meaning: 'Where each tool is called: `{<tool>: {url, method?, headers?}}`.',
    schema: object,
  },
  documents: { meaning: 'Bindings of knowledge: an autonomous node passes them on.' },
  mcp: {
    meaning: 'Bindings of tool servers: an autonomous node passes them on.',
    schema: { type: ['object', 'array'] },
  },
  add_global_prompt: {
    on: ['autonomous'],
    meaning: 'The persona stands before the prompt of the node.',
    default: true,
  },
  max_iterations: {
    on: ['autonomous'],
    meaning: `Turns of the agent loop, at most ${limits.agentIterationsMax}.`,
    default: limits.agentIterationsDefault,
  },
  turn_budget: {
    on: ['autonomous'],
    meaning: `Seconds of the agent loop, at most ${limits.agentBudgetSecondsMax}.`,
    default: limits.agentBudgetSecondsDefault,
  },
  converse: {
    on: ['autonomous'],
    meaning:
      'The agent talks: it speaks, waits here for the caller, sees the transcript, and is left by its edges or when its bounds are used up.',
    default: false,
    schema: flag,
  },
  max_turns: {
    on: ['autonomous'],
    meaning: `Utterances that an agent that talks answers, at most ${limits.talkTurnsMax}; then the default edge is taken.`,
    default: limits.talkTurnsDefault,
    schema: { type: 'integer', minimum: 1, maximum: limits.talkTurnsMax },
  },
  context_vars: { on: ['autonomous'], meaning: 'The variables that the agent is handed.', default: [] },
  target: { on: ['handoff'], meaning: 'Where the caller routes to.' },
  reason: { on: ['handoff'], meaning: 'Why. A template.', schema: text },
  returns: {
    on: ['handoff'],
    meaning:
      'The conversation may come back, and then goes on by the edges of the node, which read `_handoff_status`.',
    default: false,
    schema: flag,
  },
  on: {
    on: ['trigger'],
    meaning:
      '`any_turn` makes a command of it: its edges, each with a condition, are tried at every question on what was said.',
  },
  priority: {
    on: ['trigger'],
    meaning: 'Whether a command is tried `before` or `after` the edges of the question.',
    default: 'after',
  },
  answers_question: {
    on: ['trigger'],
    meaning:
      'The words that call the command answer the question that an edge of it leads to: "no, I said Friday". Where they are no answer, it is asked.',
    default: false,
    schema: flag,
  },
  resume: {
    on: ['end'],
    meaning: 'Goes back to the question that a command interrupted.',
    default: false,
  },
  call: {
    on: ['branch'],
    meaning: 'Another flow that is walked here: `{flow_id, version, input?, output?}`.',
    schema: call,
  },
  graph_constraints: {
    meaning: 'How many edges and nodes there may be, member by member.',
    otherwise: 'as the type has it',
    schema: { type: 'object', properties: Object.fromEntries(constraints.map((name) => [name, count])) },
  },
  url: { on: ['webhook'], meaning: 'A public https address. A template.', schema: { type: 'string' } },
  events: {
    on: ['webhook'],
    meaning: 'The endings that it is called for: `completed`, `handed_off`.',
    otherwise: 'both',
    schema: words,
  },
  payload: {
    on: ['webhook'],
    meaning: 'The `data` of the call. Templates.',
    otherwise: '`{flow_id, version, session_id, variables}`',
    schema: {},
  },
  headers: { on: ['webhook'], meaning: 'Headers of the call. Templates.', default: {}, schema: object },
} as const satisfies Record<string, MemberSpec>;
