// The conversation that peers hold too: three questions, a comparison, an end. Stateless: a turn
// brings everything that it needs.

export const FLOW_ID = 'three-questions';

const SEATS_MAX = 9;

export const DEFINITION = {
  start: 'start',
  nodes: [
    { id: 'start', type: 'message', text: 'Welcome.' },
    { id: 'name', type: 'collect', prompt: 'What is your name?', variable: 'name' },
    {
      id: 'seats',
      type: 'collect',
      prompt: 'How many seats, {{ name }}?',
      variable: 'seats',
      cast: 'integer',
    },
    { id: 'fare', type: 'collect', prompt: 'Which fare?', variable: 'fare' },
    { id: 'group', type: 'end', message: 'A colleague will call {{ name }}.' },
    { id: 'booked', type: 'end', message: '{{ seats }} seats for {{ name }} are booked, fare {{ fare }}.' },
  ],
  edges: [
    { source: 'start', target: 'name' },
    { source: 'name', target: 'seats' },
    { source: 'seats', target: 'fare' },
    { source: 'fare', target: 'group', variable: 'seats', op: 'gt', value: SEATS_MAX },
    { source: 'fare', target: 'booked', default: true },
  ],
};

export interface QuestionTurn {
  readonly current_node: string | null;
  readonly user_input: string | null;
  readonly variables: Readonly<Record<string, string | number>>;
}

/** One conversation, turn by turn. */
export const TURNS: readonly QuestionTurn[] = [
  { current_node: null, user_input: null, variables: {} },
  { current_node: 'name', user_input: 'Ada', variables: {} },
  { current_node: 'seats', user_input: '7', variables: { name: 'Ada' } },
  { current_node: 'fare', user_input: 'saver', variables: { name: 'Ada', seats: 7 } },
];

/** What every peer says at each of them. */
export const SAID: readonly (readonly string[])[] = [
  ['Welcome.', 'What is your name?'],
  ['How many seats, Ada?'],
  ['Which fare?'],
  ['7 seats for Ada are booked, fare saver.'],
];

/**
 * The same as a flow of Node-RED, with as few nodes as its palette allows: a switch for the place
 * in the conversation, and a function for each question.
 */
export function nodeRedFlow() {
  const step = (id: string, func: string, to = 'answer') => ({
    id,
    z: 'tab',
    type: 'function',
    func: `const { variables, user_input: said } = msg.payload;\n${func}\nreturn msg;`,
    outputs: 1,
    wires: [[to]],
  });
  const waits = (node: string, texts: string, kept = '') =>
    `msg.payload = { status: 'waiting', next_node: '${node}', outputs: ${texts}, variables: { ...variables${kept} } };`;
  const ends = (text: string) =>
    `msg.payload = { status: 'completed', next_node: null, outputs: [{ text: ${text} }], variables };`;
  const rules = [{ t: 'null' }, ...['name', 'seats', 'fare'].map((v) => ({ t: 'eq', v, vt: 'str' }))];
  return [
    { id: 'tab', type: 'tab', label: FLOW_ID },
    { id: 'in', z: 'tab', type: 'http in', url: '/execute', method: 'post', wires: [['place']] },
    {
      id: 'place',
      z: 'tab',
      type: 'switch',
      property: 'payload.current_node',
      propertyType: 'msg',
      rules,
      checkall: 'false',
      outputs: rules.length,
      wires: [['welcome'], ['to-seats'], ['to-fare'], ['keep-fare']],
    },
    step('welcome', waits('name', "[{ text: 'Welcome.' }, { text: 'What is your name?' }]")),
    step('to-seats', waits('seats', '[{ text: `How many seats, ${said}?` }]', ', name: said')),
    step('to-fare', waits('fare', "[{ text: 'Which fare?' }]", ', seats: Number(said)')),
    step('keep-fare', 'msg.payload.variables = { ...variables, fare: said };', 'size'),
    {
      id: 'size',
      z: 'tab',
      type: 'switch',
      property: 'payload.variables.seats',
      propertyType: 'msg',
      rules: [{ t: 'gt', v: String(SEATS_MAX), vt: 'num' }, { t: 'else' }],
      checkall: 'false',
      outputs: 2,
      wires: [['group'], ['booked']],
    },
    step('group', ends('`A colleague will call ${variables.name}.`')),
    step(
      'booked',
      ends('`${variables.seats} seats for ${variables.name} are booked, fare ${variables.fare}.`'),
    ),
    { id: 'answer', z: 'tab', type: 'http response', statusCode: '200', headers: {}, wires: [] },
  ];
}
