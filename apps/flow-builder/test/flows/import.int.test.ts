// Imports flows of other products over HTTP (docs/importers.md). libs/importers tests each format.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startFlowBuilder, type FlowBuilder } from '../service.ts';

let flows: FlowBuilder;
beforeAll(async () => {
  flows = await startFlowBuilder();
});
afterAll(() => flows.stop());

const typebot = (group: string, text: string) => ({
  name: 'Hello',
  groups: [{ id: group, title: 'Greet', blocks: [{ id: 'b', type: 'text', content: { plainText: text } }] }],
  events: [{ id: 'e', type: 'start', outgoingEdgeId: 'to' }],
  edges: [{ id: 'to', from: { eventId: 'e' }, to: { groupId: 'g' } }],
  variables: [],
});
const post = (body: object) => flows.api.post('/v1/flows/import', body);

test('an import returns flow, report and validation, stores nothing, and its flow can be created', async () => {
  const body = (await post({ source: typebot('g', 'Hello {{Name}}.') }).expect(200)).body as object;
  expect(body).toMatchObject({
    format: 'typebot',
    nodes: { mapped: 1, approximated: 0, dropped: 0 },
    report: [
      {
        pointer: '/groups/0/blocks/0',
        name: 'Greet',
        type: 'text',
        outcome: 'mapped',
        reason: null,
        node_ids: ['Greet'],
      },
    ],
    texts: { kept: 3, approximated: 0, lost: 0 },
    losses: [],
    validation: { valid: true, required_variables: ['Name'] },
  });
  expect((await flows.api.get('/v1/flows').expect(200)).body).toMatchObject({ items: [] });
  const { definition } = body as { definition: object };
  await flows.api.post('/v1/flows', { flow_id: 'hello', definition }).expect(201);
  const turn = await flows.api.post('/v1/flows/hello/execute?version=1', { variables: { Name: 'Ada' } });
  expect(turn.body).toMatchObject({ outputs: [{ text: 'Hello Ada.' }] });
});

test('texts that the definition does not hold are named, with the place in the source', async () => {
  const source = typebot('g', 'Hello.');
  const picture = { id: 'p', type: 'image', content: { url: 'https://example.com/a.png', alt: 'A house' } };
  const [group] = source.groups;
  const groups = [{ ...group, blocks: [...group!.blocks, picture] }];
  expect((await post({ source: { ...source, groups } }).expect(200)).body).toMatchObject({
    nodes: { mapped: 1, approximated: 1, dropped: 0 },
    texts: { approximated: 0, lost: 1 },
    losses: [
      {
        pointer: '/groups/0/blocks/1/content/alt',
        text: 'A house',
        outcome: 'lost',
        reason: 'no equivalent in Parley',
      },
    ],
  });
});

test('a folder is read from its files, texts in YAML among them', async () => {
  const steps = '- action: utter_hi\n';
  const files = {
    'flows.yml': `flows:\n  greet:\n    description: greets\n    steps:\n      ${steps}`,
    'domain.yml': 'responses:\n  utter_hi:\n    - text: Hi.\n',
  };
  expect((await post({ source: { files } }).expect(200)).body).toMatchObject({
    format: 'rasa',
    report: [{ pointer: '/files/flows.yml/flows/greet/steps/0', outcome: 'mapped' }],
  });
});

test('an unknown document is refused with the reason', async () => {
  const refused = async (body: object) => (await post(body).expect(400)).body as object;
  expect(await refused({ source: { hello: 1 } })).toMatchObject({
    type: 'urn:parley:problem:invalid_request',
    errors: [
      { path: '/source', message: expect.stringMatching(/^no format is recognised; known formats: /) },
    ],
  });
  expect(await refused({ source: typebot('g', 'Hi'), format: 'rasa' })).toMatchObject({
    errors: [{ message: 'it is no Rasa flows (folder, or one file)' }],
  });
  expect(await refused({ source: typebot('g', 'Hi'), format: 'word' })).toMatchObject({
    errors: [{ path: '/format' }],
  });
});

test('a text that grows while it is parsed is omitted', async () => {
  const anchors = Array.from(
    { length: 30 },
    (_, i) => `a${i}: &a${i} [${i === 0 ? 1 : `*a${i - 1}, *a${i - 1}`}]`,
  );
  const source = {
    files: {
      'flows.yml': anchors.join('\n'),
      'b.yml': `flows:\n  x:\n    steps:\n      - action: utter_x\n`,
    },
  };
  await post({ source }).expect(200);
});
