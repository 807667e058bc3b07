// A flow of another product in the window of a new flow.
import { afterEach, expect, test } from '@jest/globals';
import { QueryClientProvider } from '@tanstack/react-query';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { makeQueryClient } from '../../api/query-client.ts';
import { ImportFlow, type Imported } from './import-flow.tsx';
import { sourceOf, type PickedFile } from './import-source.ts';

const picked = (path: string, text: string): PickedFile => ({
  path,
  file: Object.assign(new File([text], path), { text: async () => text }),
});

test('one JSON file is the document; anything else goes by its paths, without the name of the folder', async () => {
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
  ['a picture', [picked('logo.png', '?')], /no \.json/],
  ['what only looks like JSON', [picked('a.json', '{')], /no JSON object/],
  ['a list', [picked('a.json', '[]')], /no JSON object/],
  ['too many files', Array.from({ length: 2001 }, (_, i) => picked(`a/${i}.json`, '{}')), /2000 files/],
  ['too large a file', [picked('a.json', ' '.repeat(5 * 1024 * 1024))], /5\.0 MiB/],
])('%s is refused before anything is sent', (_, files, why) => expect(sourceOf(files)).rejects.toThrow(why));

const realFetch = globalThis.fetch;
afterEach(() => void (globalThis.fetch = realFetch));

test('what became of each node is told, what differs first', async () => {
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
  const rows = screen.getAllByRole('listitem').map((row) => row.textContent);
  expect(rows).toEqual(['droppedPaypaymentNothing pays here.', 'mappedGreetingtext']);
});
