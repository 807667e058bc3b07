// What imports once lost: requests, prompts, rich content and languages are in the definition,
// and a conversation speaks each text once.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { ScriptTurn } from '@parley/flow-analysis';
import { compileFlow, parseFlow } from '@parley/flow-engine';
import { importFlow, type ImportResult } from '../src/index.ts';
import { brings, converse } from './converse.ts';

const folder = join(import.meta.dirname, 'gate');
const gate = (name: string): Extract<ImportResult, { ok: true }> => {
  const result = importFlow(JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')));
  if (!result.ok) throw new Error(result.reason);
  return result;
};
const nodesOf = ({ definition }: { definition: Readonly<Record<string, unknown>> }) =>
  definition['nodes'] as { id: string; type: string; text?: string; [member: string]: unknown }[];
const play = (name: string, turns: readonly ScriptTurn[]): readonly string[] => {
  const parsed = parseFlow(gate(name).definition);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return converse(compileFlow(parsed.flow), turns).said;
};

test('Vapi: a request has its name, headers and body, and its messages are spoken once', () => {
  const nodes = nodesOf(gate('vapi-workflow'));
  expect(nodes.find(({ tool }) => tool === 'place_order')).toMatchObject({
    args: {
      url: 'https://api.example.com/orders',
      method: 'POST',
      headers: { 'x-shop': 'shop seven' },
      body: {
        pizza: '{{ pizza }}',
        channel: 'by telephone',
        customer: { nickname: '{{ nickname }}' },
        branch_code: 'north {{ branch }}',
      },
    },
    set: [{ variable: 'order_no', to: '{{ place_order_result.order.number }}' }],
  });
  const asked = [{}, { user_input: 'a large one', classifier: 0, extraction: { size: 'large' } }];
  const said = play('vapi-workflow', [...asked, brings({ order: { number: 7 } })]);
  expect(said[1]).toMatch(/^(One moment please|Let me order that)\.$/);
  expect(said[2]).toBe('Your order is placed. / Enjoy your meal.');
  const failed = { tool_result: { error: { code: 'timeout', message: 'too slow' } } };
  expect(play('vapi-workflow', [...asked, failed])[2]).toMatch(/^The kitchen does not answer\./);
});

test('Vapi: a request of an assistant has its name, parameters and headers', () => {
  const agent = nodesOf(gate('vapi-squad')).find(({ tools }) => Array.isArray(tools));
  expect(agent).toMatchObject({
    tools: [
      { function: { name: 'book_table' } },
      { function: { name: 'check_stock', parameters: { properties: { item: {} } } } },
    ],
    tool_dispatch: {
      check_stock: {
        url: 'https://api.example.com/stock',
        method: 'GET',
        headers: { 'x-api': 'stock key' },
      },
    },
  });
});

test('Dialogflow CX: a generator is a tool whose answer is spoken once; rich content and languages', () => {
  const imported = gate('dialogflow-cx');
  expect(nodesOf(imported).find(({ tool }) => tool === 'Advisor')).toMatchObject({
    args: { prompt: 'Advise on {{ city }} after {{ user_input }}.' },
    output_var: 'generative.advice',
  });
  expect(imported.definition['language']).toBe('en');
  expect(imported.losses).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        text: 'Buchen wir.',
        outcome: 'lost',
        reason: 'it is in the language "de", and a flow has one language',
      }),
      expect.objectContaining({ text: 'Cheap seats', reason: 'Parley sends no buttons and cards' }),
      expect.objectContaining({ text: 'ja bitte' }),
      expect.objectContaining({ text: 'Milano' }),
    ]),
  );
  const said = play('dialogflow-cx', [
    {},
    { user_input: 'a flight', classifier: 0 },
    { user_input: 'Paris' },
    brings('Take a window seat.'),
    brings({}),
  ]);
  const rich = 'Good to know\nChildren fly for less\nOur rules\nOne bag each';
  expect(said).toEqual([
    '',
    `Gladly. / Let us book.\n${rich}\nListen well. / To which city?`,
    '',
    '',
    'We say: Take a window seat. / Shall I book it?',
  ]);
});

test('Typebot: prompts of models, headers and queries; buttons are choices', () => {
  const nodes = nodesOf(gate('typebot'));
  expect(nodes.find(({ tool }) => tool === 'Create_chat_completion')).toMatchObject({
    args: {
      model: 'gpt-4o-mini',
      messages: [
        { role: 'system', content: 'You advise on insurance.' },
        { role: 'user', content: 'I am {{ Age }} years old.' },
        { role: 'Dialogue', dialogueVariable: '{{ Thing }}' },
      ],
    },
    set: [{ variable: 'Advice', to: '{{ Create_chat_completion_result }}' }],
  });
  expect(nodes.find(({ tool }) => tool === 'Webhook')).toMatchObject({
    args: { headers: { 'x-quote': 'quote key' }, query: { zone: 'zone nine' } },
  });
  const said = play('typebot', [{}, { user_input: '40' }, { user_input: 'My car' }, brings('Drive well')]);
  expect(said).toEqual([
    'Welcome to us.\nHow old are you?',
    'What do you insure?',
    '',
    'We advise: Drive well\nRead on',
  ]);
  expect(nodes.find(({ choices }) => Array.isArray(choices))).toMatchObject({
    choices: [{ value: 'house', synonyms: ['My house'] }, 'My car'],
  });
});

test('Rasa: each response of a path is spoken once', () => {
  const said = play('rasa', [
    {},
    { user_input: 'money', classifier: 0 },
    { user_input: 'Ada' },
    { user_input: '5' },
    brings({}),
    { user_input: 'yes' },
  ]);
  expect(said.join(' / ').match(/How much for Ada\?|Shall I send it\?|It is sent\./g)).toEqual([
    'How much for Ada?',
    'Shall I send it?',
    'It is sent.',
  ]);
});

test('Dialogflow CX: a playbook is an agent that talks, with its tools, and returns when its task is done', () => {
  const imported = gate('dialogflow-cx-playbooks');
  const nodes = nodesOf(imported);
  expect(nodes.find(({ goal }) => goal === 'Book an appointment')).toMatchObject({
    converse: true,
    prompt: expect.stringContaining('- Look for a free slot with ${TOOL:Calendar}.'),
    tools: [
      { function: { name: 'find_slots', parameters: { properties: { wanted_day: { format: 'date' } } } } },
      {
        function: {
          name: 'take_slot',
          description: expect.stringContaining('PUT https://calendar.example.com/v1/slots/{slot_id}'),
          parameters: { properties: { slot_id: {}, urgency: { enum: ['can wait', 'at once'] } } },
        },
      },
      { function: { name: 'Slot card', parameters: { properties: { headline: {} } } } },
    ],
    tool_dispatch: { find_slots: { url: 'https://calendar.example.com/v1/slots', method: 'GET' } },
    documents: [{ name: 'House rules' }],
  });
  const desk = nodes.find(({ goal }) => goal === 'Find out why they call.\nBe brief.');
  expect(desk).toMatchObject({ context_vars: ['patient_name'] });
  expect(desk!['prompt']).toContain('- Greet $patient_name and ask.\n  - Ask again if it is unclear.');
  const reasons = new Map(imported.losses.map(({ text, reason }) => [text, reason]));
  expect(reasons.get('I need a doctor')).toBe('an example of a conversation does not train a flow');
  expect(reasons.get('x-clinic-key')).toBe('credentials are not imported');
  expect(nodes.find(({ goal }) => goal === 'Book an appointment')).toMatchObject({
    extraction: { variables: [{ name: 'slot_time', type: 'string', prompt: 'When they come' }] },
  });
  const said = play('dialogflow-cx-playbooks', [
    {},
    brings('Why do you call?'),
    { user_input: 'I need a doctor' },
    brings({ answer: 'Gladly.', branch: 0 }),
    brings('When?'),
    { user_input: 'On Monday' },
    brings({ answer: 'It is booked.', status: 'goal_reached' }),
    brings('Anything else?'),
    { user_input: 'No' },
    brings({ answer: 'Good.', branch: 1 }),
  ]);
  expect(said).toEqual([
    'Welcome to the clinic.',
    'Why do you call?',
    '',
    'Gladly.',
    'When?',
    '',
    'It is booked.',
    'Anything else?',
    '',
    'Good. / Get well soon.',
  ]);
});

test('Rasa: a sub agent talks until its conditions hold, a tool has its mapping, an answer is rejected', () => {
  const imported = gate('rasa');
  const nodes = nodesOf(imported);
  expect(nodes.find(({ goal }) => goal === 'Agrees on a time for a visit')).toMatchObject({
    converse: true,
    mcp: [{ name: 'shop_server', include_tools: ['free_times'] }],
  });
  expect(nodes.find(({ tool }) => tool === 'store_visit')).toMatchObject({
    args: { when_to_come: '{{ visit_time }}' },
    set: [{ variable: 'visit_number', to: '{{ store_visit_result.structuredContent.number }}' }],
  });
  const visit = [{}, { user_input: 'a visit', classifier: 2 }, brings('When?'), { user_input: 'At ten' }];
  const agreed = brings({ answer: 'At ten, then.', branch: 0 });
  const said = play('rasa', [...visit, agreed, brings({}), { user_input: '1234' }]);
  expect(said.slice(4)).toEqual(['At ten, then.', 'Please key in your pin.', 'Your visit is booked.']);
  const money = [{}, { user_input: 'money', classifier: 0 }, { user_input: 'Ada' }, { user_input: '0' }];
  expect(play('rasa', money)[3]).toBe('That is too little. / How much for Ada?');
});

test.each([
  ['retell-flow', 'complaint_text'],
  ['vapi-workflow', 'size'],
  ['dograh', 'visit_day'],
])('%s: an agent that talks extracts %s', (name, variable) => {
  const agents = nodesOf(gate(name)).filter(({ converse }) => converse === true);
  const found = agents.flatMap(
    ({ extraction }) => (extraction as { variables: { name: string }[] } | undefined)?.variables ?? [],
  );
  expect(found.map((one) => one.name)).toContain(variable);
});

test('the hint of an extracted variable is what the extractor reads, with its choices', () => {
  const nodes = nodesOf(gate('retell-flow'));
  expect(nodes.find(({ extraction }) => extraction !== undefined)).toMatchObject({
    extraction: {
      variables: [
        { name: 'order_no', type: 'string', prompt: 'The order number' },
        { name: 'mood', type: 'enum', choices: expect.arrayContaining([expect.any(String)]) },
      ],
    },
  });
});

test('Retell: a subagent has its tools, and what is said while a tool runs is said before it', () => {
  const imported = gate('retell-flow');
  const nodes = nodesOf(imported);
  expect(nodes.find(({ goal }) => goal === 'Take the complaint.')).toMatchObject({
    tools: [
      {},
      {
        function: {
          name: 'keep_complaint',
          parameters: { properties: { complaint_kind: { enum: ['too late', 'too cold'] } } },
        },
      },
    ],
  });
  const edges = imported.definition['edges'] as { nl?: string }[];
  expect(edges.map(({ nl }) => nl)).toContain('When they are content');
  expect(nodes.filter(({ text }) => text === 'I file it now.')).toHaveLength(1);
  expect(nodes.find(({ tool }) => tool === 'file_complaint')).toMatchObject({
    set: [{ variable: 'case_number', to: '{{ mcp_result.case.number }}' }],
  });
});

const examplesOf = (definition: Readonly<Record<string, unknown>>) =>
  (definition['edges'] as { nl?: string; examples?: readonly string[] }[]).filter(({ examples }) => examples);

test('training phrases are examples of the branch of their intent, without the marks of entities', () => {
  const [flight] = examplesOf(gate('dialogflow-cx').definition);
  expect(flight).toMatchObject({ nl: 'book', examples: ['book a flight'] });
  const rasa = gate('rasa');
  expect(examplesOf(rasa.definition)).toMatchObject([
    {
      nl: 'Talks about the weather',
      examples: ['is it warm in LA', 'tell me about the weather', 'will it rain in Rome'],
    },
  ]);
  const lost = rasa.losses.filter(({ pointer }) => pointer.startsWith('/files/data~1nlu.yml/nlu'));
  expect(lost.map(({ text, outcome }) => [text, outcome])).toEqual(
    expect.arrayContaining([
      ['- is it [warm](feeling) in [LA]{"entity": "city", "role": "to"}', 'approximated'],
      ['- see you later', 'lost'],
    ]),
  );
});

test.each([
  ['dialogflow-cx', (phrases: string[]) => phrases.map((text) => ({ parts: [{ text }] }))],
  ['rasa', (phrases: string[]) => phrases.map((phrase) => `- ${phrase}`).join('\n')],
])('%s: a branch has the first 50 phrases, each once, and the others are named', (name, write) => {
  const phrases = Array.from({ length: 60 }, (_, at) => `phrase number ${at}`);
  const document = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as {
    files: Record<string, Record<string, unknown>>;
  };
  const written = write(['x'.repeat(301), phrases[0]!, ...phrases]);
  if (name === 'rasa') document.files['data/nlu.yml']!['nlu'] = [{ intent: 'chat_now', examples: written }];
  else document.files['intents/book/trainingPhrases/en.json'] = { trainingPhrases: written };
  const result = importFlow(document);
  if (!result.ok) throw new Error(result.reason);
  expect(examplesOf(result.definition)[0]!.examples).toEqual(phrases.slice(0, 50));
  const lost = result.losses.filter(({ pointer }) => /examples|~1book~1trainingPhrases/u.test(pointer));
  expect(new Set(lost.map(({ reason }) => reason)).size).toBe(1);
  const others = ['x'.repeat(200), ...phrases.slice(50)];
  expect(lost.map(({ text }) => text.replace(/^- /u, '').slice(0, 198))).toEqual(
    others.map((text) => text.slice(0, 198)),
  );
});

test('examples of all branches have a bound, and the report names the branch without', () => {
  const document = JSON.parse(readFileSync(join(folder, 'rasa.json'), 'utf8')) as {
    files: Record<string, Record<string, Record<string, unknown>>>;
  };
  const flows = document.files['data/flows.yml']!['flows']!;
  const steps = [{ action: 'utter_weather' }];
  for (let at = 0; at < 40; at += 1)
    flows[`flow_${at}`] = { nlu_trigger: [{ intent: { name: 'chat_now' } }], steps };
  const examples = Array.from({ length: 50 }, (_, at) => `${at} `.padEnd(290, 'long')).join('\n');
  document.files['data/nlu.yml'] = { nlu: [{ intent: 'chat_now', examples }] as never };
  const result = importFlow(document);
  if (!result.ok) throw new Error(result.reason);
  expect(examplesOf(result.definition)).toHaveLength(34);
});

test('Retell: the nodes of a component stand in the place of each node that uses it', () => {
  const says = (id: string, text: string, more: object) => ({
    id,
    type: 'conversation',
    name: id,
    instruction: { type: 'static_text', text },
    ...more,
  });
  const use = (id: string, to: string) => ({
    id,
    type: 'component',
    component_id: 'Identify',
    component_type: 'local',
    else_edge: { id: `else-${id}`, destination_node_id: to },
  });
  const imported = importFlow({
    start_node_id: 'first',
    nodes: [
      use('first', 'again'),
      use('again', 'lost'),
      { ...use('lost', 'bye'), component_id: 'elsewhere', component_type: 'shared' },
      { id: 'bye', type: 'end', instruction: { type: 'static_text', text: 'Bye.' } },
    ],
    components: [
      {
        name: 'Identify',
        start_node_id: 'who',
        nodes: [
          says('who', 'Who is calling?', { always_edge: { id: 'a', destination_node_id: 'where' } }),
          says('where', 'From where?', { edges: [] }),
          { ...use('loop', 'who'), component_id: 'Identify' },
        ],
      },
    ],
  });
  if (!imported.ok) throw new Error(imported.reason);
  const parsed = parseFlow(imported.definition);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  const answers = ['Ada', 'Ulm', 'Bo', 'Bonn'].map((user_input) => ({ user_input }));
  expect(converse(compileFlow(parsed.flow), [{}, ...answers]).said).toEqual([
    'Who is calling?',
    'From where?',
    'Who is calling?',
    'From where?',
    'Bye.',
  ]);
  const byPointer = new Map(imported.report.map((entry) => [entry.pointer, entry]));
  expect(byPointer.size).toBe(imported.report.length);
  expect(byPointer.get('/nodes/0')).toMatchObject({ outcome: 'approximated', type: 'component' });
  expect(byPointer.get('/nodes/2')).toMatchObject({
    outcome: 'dropped',
    reason: 'its component "elsewhere" is not in the document',
  });
  expect(byPointer.get('/components/0/nodes/0')).toMatchObject({ outcome: 'mapped', name: 'who' });
  expect(byPointer.get('/components/0/nodes/2')).toMatchObject({
    outcome: 'dropped',
    reason: 'it contains itself',
  });
});
