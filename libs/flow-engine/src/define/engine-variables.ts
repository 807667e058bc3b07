// The table of the read-only variables that describe the turn
// (docs/flow-language.md#engine-variables). Conditions and templates read them through
// read/paths.ts.
export const engineVariables = {
  user_input: 'The utterance of the turn.',
  _attempts: 'How many answers to the collect node just left had failed.',
  _input_status:
    'What became of the answer: `captured`, `no_match`, `no_input` or `out_of_range`; `command` where one was called.',
  _input_reading:
    'How the answer was read: `whole`, every word accounted for, or `sentence`, a value among other words.',
  _filled: 'The variables of other questions that the answer filled (`also`): a list.',
  _tool_status: 'What became of the tool that this turn brought the result of: `ok` or `error`.',
  _tool_error: 'The code of that error.',
  _handoff_status: 'What became of the handoff that this turn comes back from: `failed` or `returned`.',
  _handoff_reason: 'The reason that came with it.',
  _now: "The moment of the turn, as ISO 8601 with the offset of the bag's `timezone`.",
  _today: 'The day of it there, as YYYY-MM-DD.',
  _weekday: 'The weekday of it there: `monday` to `sunday`.',
} as const satisfies Record<string, string>;

export type EngineVariable = keyof typeof engineVariables;

export const weekdays = [
  'sunday',
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
] as const;
