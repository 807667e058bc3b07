// The tests of a flow during editing: results, coverage and suggestions.
import { beforeEach, describe, expect, jest, test } from '@jest/globals';
import { QueryClientProvider } from '@tanstack/react-query';
import { act, render, renderHook, screen, waitFor, within } from '@testing-library/react';
import type { ReactNode } from 'react';
import userEvent from '@testing-library/user-event';
import type { AuthoredFlow } from '@parley/flow-engine';
import { makeQueryClient } from '../../api/query-client.ts';
import { engineClient, shareEngine } from '../../engine/client.ts';
import { engine } from '../../engine/engine.ts';
import type { NamedTest } from '../../engine/explore.ts';
import { sessionQuery, type Session } from '../../session/session.ts';
import { testsQuery } from '../api.ts';
import { setEdge } from '../document/edits.ts';
import { change, openFlow, useFlow } from '../document/flow-store.ts';
import { setPanels } from '../page-state.ts';
import { useTalk } from '../talk/talk-store.ts';
import { countsOf, coverageTold, coverMarks, coverOf } from './covered.ts';
import { exploredOf, useExplore, useExplored } from './explored.ts';
import { TestsPanel } from './tests-panel.tsx';

const flow = {
  nodes: [
    { id: 'ask', type: 'collect', prompt: 'How old?', variable: 'age', cast: 'integer' },
    { id: 'child', type: 'end', message: 'Hello child' },
    { id: 'adult', type: 'end', message: 'Hello adult' },
  ],
  edges: [
    { source: 'ask', target: 'child', variable: 'age', op: 'lt', value: 18 },
    { source: 'ask', target: 'child', variable: 'age', op: 'lt', value: 9 },
    { source: 'ask', target: 'adult' },
  ],
} as unknown as AuthoredFlow;
const said = (name: string, answer: string, ...messages: string[]): NamedTest => ({
  name,
  test: {
    turns: [
      { user_input: null, expect: {} },
      { user_input: answer, expect: { messages } },
    ],
  },
});
/** Of a person, who has no key to read. */
const SESSION: Session = {
  with: 'identity',
  person: 'Ada',
  organization: 'demo',
  organizations: ['demo'],
  services: ['flow-builder'],
  services_here: ['flow-builder'],
  scopes: {},
  queue_dashboards: {},
  expires_at: null,
  identity_provider: null,
};
const explore = (...tests: NamedTest[]) =>
  engine.explore({ definition: flow, called: null, tests, nowMs: 0 })!;

describe('what is explored', () => {
  test('runs tests and measures which edges they, or generated tests, cover', () => {
    const found = explore(said('seven', '7', 'Hello child'), said('forty', '40', 'Hello child'));
    expect(found.results).toMatchObject([
      { name: 'seven', failures: [] },
      { name: 'forty', failures: [{ path: '/turns/1/expect/messages', actual: ['Hello adult'] }] },
    ]);
    expect(coverOf(found)).toEqual(['tested', 'dead', 'tested']);
    expect(coverOf(explore(said('seven', '7', 'Hello child')))).toEqual(['tested', 'dead', 'takeable']);
  });
  test('describes coverage in words and marks edges', () => {
    const covers = coverOf(explore(said('seven', '7')));
    expect(coverageTold(countsOf(covers))).toBe(
      'Stored tests cover 1 of 3 edges, 1 more can be covered, 1 never taken.',
    );
    expect(coverageTold(countsOf([]))).toBe('The flow has no edges yet.');
    expect(coverMarks(explore()).get(2)).toEqual({ tone: 'accent', note: 'untested' });
  });
  test('does not explore an invalid definition', () =>
    expect(engine.explore({ definition: {}, called: null, tests: [], nowMs: 0 })).toBeNull());
});

test('runs again when the flow or its tests change', async () => {
  shareEngine(engineClient(engine));
  const doc = { flow, places: {} };
  openFlow('ages', { version: 1, etag: '1', doc }, doc);
  const queries = makeQueryClient();
  const tested = (...tests: NamedTest[]) => queries.setQueryData(testsQuery('ages').queryKey, tests as never);
  tested(said('seven', '7'));
  const called = { flowId: 'ages', versions: {} };
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={queries}>{children}</QueryClientProvider>
  );
  renderHook(() => useExplore('ages', called, true), { wrapper });
  const names = () => exploredOf(useExplored.getState())?.results.map(({ name }) => name);
  await waitFor(() => expect(names()).toEqual(['seven']), { timeout: 5_000 });
  act(() => void tested(said('seven', '7'), said('forty', '40')));
  await waitFor(() => expect(names()).toEqual(['seven', 'forty']), { timeout: 5_000 });
  act(() => change((old) => setEdge(old, 1, { value: 60 }), ''));
  await waitFor(() => expect(useExplored.getState().flow).toBe(useFlow.getState().doc.flow), {
    timeout: 5_000,
  });
});

describe('the panel', () => {
  const asked: Request[] = [];
  beforeEach(() => {
    const doc = { flow, places: {} };
    openFlow('ages', { version: 1, etag: '1', doc }, doc);
    asked.length = 0;
    globalThis.fetch = (async (request: Request) => {
      asked.push(request);
      return Response.json({ saved: 2, items: [], next_cursor: null });
    }) as typeof fetch;
  });
  function show(...tests: NamedTest[]) {
    useExplored.setState({ searched: { kind: 'found', found: explore(...tests) }, flow, beside: [] });
    const queries = makeQueryClient();
    queries.setQueryData(testsQuery('ages').queryKey, tests as never);
    queries.setQueryData(sessionQuery.queryKey, SESSION);
    render(
      <QueryClientProvider client={queries}>
        <TestsPanel flowId="ages" />
      </QueryClientProvider>,
    );
  }
  test('a failing test shows where; clicking plays it', async () => {
    const toPanel = jest.fn();
    setPanels(toPanel);
    show(said('forty', '40', 'Hello child'));
    expect(screen.getByText('1 of 1 fail')).toBeInTheDocument();
    await userEvent.click(screen.getByRole('button', { name: 'Play test forty' }));
    expect(useTalk.getState()).toMatchObject({ name: 'forty', script: { turns: [{}, { input: '40' }] } });
    expect(toPanel).toHaveBeenCalledWith('try');
  });
  test('removes a test after a confirmation', async () => {
    show(said('seven', '7', 'Hello child'));
    await userEvent.click(screen.getByRole('button', { name: 'Remove test seven' }));
    expect(asked).toEqual([]);
    await userEvent.click(screen.getByRole('button', { name: 'Remove test' }));
    expect(asked[0]).toMatchObject({ method: 'DELETE' });
    expect(asked[0]?.url).toMatch(/\/v1\/flows\/ages\/tests\/seven$/);
  });
  test('shows suggested tests as conversations and saves them', async () => {
    show(said('seven', '7', 'Hello child'));
    const fresh = screen.getByRole('region', { name: 'Suggested tests' });
    expect(within(fresh).getByText('ask → adult')).toBeInTheDocument();
    expect(within(fresh).getByText('Hello adult')).toBeInTheDocument();
    await userEvent.click(within(fresh).getByRole('button', { name: /^Save/ }));
    expect(await asked[0]?.json()).toMatchObject({ save: true, version: 1 });
  });
  test('needs a saved version before saving suggested tests', () => {
    show(said('seven', '7', 'Hello child'));
    act(() => change((old) => setEdge(old, 1, { value: 5 }), ''));
    expect(screen.getByRole('button', { name: /^Save test|^Save all/ })).toBeDisabled();
  });
  test('says why an edge is never taken', () => {
    show();
    const left = screen.getByRole('region', { name: 'Uncovered edges' });
    expect(within(left).getByRole('button')).toHaveTextContent(/Never taken: edges before it always win/);
  });
});
