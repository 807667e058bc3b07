// Importing a flow of another product.
import { afterEach, expect, test } from '@jest/globals';
import { QueryClientProvider } from '@tanstack/react-query';
import { render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { makeQueryClient } from '../../api/query-client.ts';
import { ImportFlow, type Imported } from './import-flow.tsx';
import { sourceOf, type PickedFile } from './import-source.ts';

const picked = (path: string, text: string): PickedFile => ({
  path,
  file: Object.assign(new File([text], path), { text: async () => text }),
});

test('sends one JSON file as the document, and other files by their paths without the folder name', async () => {
  expect(await sourceOf([picked('shop.json', '{"groups":[]}')])).toEqual({
    name: 'shop',
    source: { groups: [] },
  });
  expect(await sourceOf([picked('flows.yml', 'flows: {}')])).toEqual({
    name: 'flows',
    source: { files: { 'flows.yml': 'flows: {}' } },
  });
  expect(
    await sourceOf([
      picked('bank/agent.json', '{}'),
      picked('bank/logo.png', '?'),
      picked('bank/a/b.yaml', ''),
    ]),
  ).toEqual({ name: 'bank', source: { files: { 'agent.json': '{}', 'a/b.yaml': '' } } });
});

test.each([
  ['an image', [picked('logo.png', '?')], /no \.json/],
  ['invalid JSON', [picked('a.json', '{')], /must contain a JSON object/],
  ['an array', [picked('a.json', '[]')], /must contain a JSON object/],
  ['too many files', Array.from({ length: 2001 }, (_, i) => picked(`a/${i}.json`, '{}')), /2000 files/],
  ['too large a file', [picked('a.json', ' '.repeat(5 * 1024 * 1024))], /5\.0 MiB/],
])('refuses %s before sending', (_, files, why) => expect(sourceOf(files)).rejects.toThrow(why));

const realFetch = globalThis.fetch;
afterEach(() => void (globalThis.fetch = realFetch));

test('reports the result of each node, differences first', async () => {
  const asked: unknown[] = [];
  const entry = { node_ids: [], reason: null };
  globalThis.fetch = (async (request: Request) => {
    asked.push(await request.json());
    return Response.json({
      format: 'typebot',
      definition: { nodes: [], edges: [] },
      nodes: { mapped: 1, approximated: 0, dropped: 1 },
      report: [
        { ...entry, pointer: '/a', name: 'Greeting', type: 'text', outcome: 'mapped' },
        {
          ...entry,
          pointer: '/b',
          name: 'Pay',
          type: 'payment',
          outcome: 'dropped',
          reason: 'Nothing pays here.',
        },
      ],
      texts: { kept: 7, approximated: 1, lost: 1 },
      losses: [
        { pointer: '/a/name', text: 'Lead score', outcome: 'approximated', reason: 'Spelt differently.' },
        { pointer: '/b/text', text: 'Pay now', outcome: 'lost', reason: 'Nothing pays here.' },
      ],
      validation: { valid: true, errors: [], warnings: [] },
    });
  }) as typeof fetch;
  function Held() {
    const [imported, setImported] = useState<Imported | null>(null);
    return <ImportFlow imported={imported} onImported={setImported} />;
  }
  render(
    <QueryClientProvider client={makeQueryClient()}>
      <Held />
    </QueryClientProvider>,
  );
  const { file } = picked('shop.json', '{"groups":[]}');
  await userEvent.upload(screen.getByLabelText('File'), file);
  expect((await screen.findByRole('status')).textContent).toMatch(
    /typebot.*1 mapped.*0 approximated.*1 dropped/,
  );
  expect(asked).toEqual([{ source: { groups: [] } }]);
  const rowsOf = (list: string) =>
    within(screen.getByRole('list', { name: list }))
      .getAllByRole('listitem')
      .map((row) => row.textContent);
  expect(rowsOf('Import report')).toEqual(['droppedPaypaymentNothing pays here.', 'mappedGreetingtext']);
  expect(screen.getByText('Texts: 7 kept, 1 approximated, 1 lost')).toBeTruthy();
  expect(rowsOf('Texts to check')).toEqual([
    'lostPay nowNothing pays here.',
    'approximatedLead scoreSpelt differently.',
  ]);
});
