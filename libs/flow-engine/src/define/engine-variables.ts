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

/** Names for people, and what it means that a variable has a value. */
export const engineVariableWords: Readonly<
  Record<EngineVariable, { readonly label: string; readonly values?: Readonly<Record<string, string>> }>
> = {
  user_input: { label: 'what the caller said' },
  _attempts: { label: 'number of failed answers' },
  _input_status: {
    label: 'answer',
    values: {
      captured: 'answer was understood',
      no_match: 'answer was not understood',
      no_input: 'caller said nothing',
      out_of_range: 'answer was out of range',
      command: 'caller used a command',
    },
  },
  _input_reading: {
    label: 'reading of the answer',
    values: { whole: 'every word was understood', sentence: 'the answer stood in a sentence' },
  },
  _filled: { label: 'other questions answered' },
  _tool_status: {
    label: 'action',
    values: { ok: 'action succeeded', error: 'action failed' },
  },
  _tool_error: { label: 'error of the action' },
  _handoff_status: {
    label: 'hand-over',
    values: { failed: 'hand-over failed', returned: 'caller came back' },
  },
  _handoff_reason: { label: 'reason of the hand-over' },
  _now: { label: 'time' },
  _today: { label: 'today' },
  _weekday: { label: 'weekday' },
};

export const weekdays = [
  'sunday',
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
] as const;
