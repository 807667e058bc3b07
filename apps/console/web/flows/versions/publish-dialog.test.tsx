// What the publish dialog shows first, and what it refuses.
import { afterEach, expect, test } from '@jest/globals';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen, within } from '@testing-library/react';
import { engine } from '../../engine/engine.ts';
import { PublishDialog } from './publish-dialog.tsx';

const realFetch = globalThis.fetch;
afterEach(() => void (globalThis.fetch = realFetch));

type Severity = 'error' | 'warning';

/** The dialog of version 1, whose stored validation is that of the engine. */
function open(edges: readonly object[]) {
  const definition = {
    start: 'ask',
    nodes: [
      { id: 'ask', type: 'collect', prompt: 'Tea?', variable: 'tea', cast: 'enum', choices: ['black'] },
      { id: 'end', type: 'end' },
    ],
    edges: [...edges, { source: 'ask', target: 'end' }],
  };
  const { findings } = engine.check(definition);
  const of = (severity: Severity) => findings.filter((one) => one.severity === severity);
  const answers: readonly (readonly [RegExp, object])[] = [
    [/\/publish\/preview/, { version: 1, tests: { passed: 0, failed: 0, results: [] }, comparison: null }],
    [/\/publications/, { items: [], next_cursor: null }],
    [
      /\/v1\/flows\/tea/,
      { published_version: null, validation: { errors: of('error'), warnings: of('warning') } },
    ],
  ];
  globalThis.fetch = (request) => {
    const { url } = new Request(request);
    const found = answers.find(([path]) => path.test(url));
    return Promise.resolve(Response.json(found?.[1] ?? {}, { status: found ? 200 : 404 }));
  };
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <PublishDialog flowId="tea" version={1} onClose={() => {}} />
    </QueryClientProvider>,
  );
}

const compare = { source: 'ask', target: 'end', variable: 'tea', op: 'eq' };
const button = () => screen.findByRole('button', { name: 'Publish' });

test('lists errors before anything else and refuses to publish them', async () => {
  open([compare]);
  const problems = await screen.findByRole('region', { name: 'Problems' });
  expect(within(problems).getByRole('heading')).toHaveTextContent('1 error');
  expect(within(problems).getByRole('img', { name: 'error' })).toBeTruthy();
  expect(screen.getAllByRole('region')[0]).toBe(problems);
  await screen.findByText(/No tests yet/);
  expect(await button()).toBeDisabled();
});

test('lists warnings, such as a comparison with the empty text, and may publish', async () => {
  open([{ ...compare, value: '' }]);
  const problems = await screen.findByRole('region', { name: 'Problems' });
  expect(within(problems).getAllByText(/No choice of "ask" is ""/)).toHaveLength(1);
  await screen.findByText(/No tests yet/);
  expect(await button()).toBeEnabled();
});

test('shows no list for a version without problems', async () => {
  open([{ ...compare, value: 'black' }]);
  await screen.findByText(/No tests yet/);
  expect(await button()).toBeEnabled();
  expect(screen.queryByRole('region', { name: 'Problems' })).toBeNull();
});
