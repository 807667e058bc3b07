// The assistant's panel: the author asks, sees the proposal, applies it, and undoes it.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { RecordedTurn } from '@parley/flow-analysis';
import type { AuthoredFlow } from '@parley/flow-engine';
import { change, openFlow, undo, useFlow } from '../document/flow-store.ts';
import { AssistantPanel } from './assistant-panel.tsx';
import { fixConversation, openAssistant, toTest, useAssistant } from './assistant-store.ts';
import { toFailed } from './recorded-test.ts';

const flow = { nodes: [{ id: 'start', type: 'end', message: 'Hello.' }], edges: [] } as AuthoredFlow;
const changed = { nodes: [{ id: 'start', type: 'end', message: 'Guten Tag.' }], edges: [] };
const proposal = {
  definition: changed,
  summary: 'Greets in German.',
  diff: { identical: false, summary: ['Node start says another text.'] },
  validation: { valid: true, errors: [], warnings: [], infos: [], stats: { max_steps_per_turn: 3 } },
  tests: {
    version: null,
    passed: 1,
    failed: 1,
    results: [
      { name: 'a', passed: true, failures: [] },
      { name: 'b', passed: false, failures: [] },
    ],
  },
  coverage: { all: 2, taken: 2, proved_dead: 0 },
  behaviour: null,
  outside: [] as object[],
};
const reply = (over: object = {}) => ({
  flow_id: 'tea',
  proposal,
  message: null,
  problems: [],
  rounds: 1,
  usage: null,
  ...over,
});

const READY = { ready: true, message: null };
const realFetch = globalThis.fetch;
let sent: { instruction: string; definition: object; test?: object }[] = [];
afterEach(() => void (globalThis.fetch = realFetch));
beforeEach(() => {
  sent = [];
  const doc = { flow, places: {} };
  openFlow('tea', { version: 1, etag: '1', doc }, doc);
  openAssistant('other');
});

function open(answer: object, { state = READY, status = 200 }: { state?: object; status?: number } = {}) {
  globalThis.fetch = async (input) => {
    const request = new Request(input);
    if (request.method === 'GET') return Response.json(state);
    sent.push((await request.json()) as (typeof sent)[number]);
    return Response.json(answer, { status });
  };
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <AssistantPanel flowId="tea" />
    </QueryClientProvider>,
  );
}
const field = () => screen.findByLabelText('What should change?');
const press = async (name: string) => userEvent.click(await screen.findByRole('button', { name }));
async function ask(words = 'Greet in German') {
  await userEvent.type(await field(), words);
  await press('Propose change');
}
const now = () => useFlow.getState().doc.flow.nodes[0]?.message;

test('a proposal is shown, applied as one step, and undone with one key', async () => {
  open(reply());
  await ask();
  await screen.findByText('Greets in German.');
  const shown = within(screen.getByRole('region', { name: 'Proposal' }));
  shown.getByText('Node start says another text.');
  shown.getByText('No errors, 3 nodes per turn at most');
  shown.getByText('1 of 2 stored tests pass; failing: b');
  shown.getByText('Generated conversations take 2 of 2 edges');
  expect([now(), sent]).toEqual(['Hello.', [{ instruction: 'Greet in German', definition: flow }]]);
  await press('Apply to draft');
  expect([now(), useFlow.getState().past.length]).toEqual(['Guten Tag.', 1]);
  expect(await field()).toHaveFocus();
  expect(screen.queryByRole('region', { name: 'Proposal' })).toBeNull();
  act(undo);
  expect(now()).toBe('Hello.');
});

test('what leaves the flow must be confirmed', async () => {
  const outside = [{ node_id: 'tell', kind: 'webhook', to: 'https://hooks.example.com/', change: 'added' }];
  open(reply({ proposal: { ...proposal, outside } }));
  await ask();
  within(await screen.findByRole('region', { name: 'What leaves the flow' })).getByText(
    'https://hooks.example.com/',
  );
  const apply = screen.getByRole('button', { name: 'Apply to draft' });
  expect(apply).toBeDisabled();
  await userEvent.click(screen.getByLabelText('I have checked what leaves the flow'));
  expect(apply).toBeEnabled();
  await press('Discard proposal');
  expect(now()).toBe('Hello.');
});

test('a proposal for an older draft is not applied', async () => {
  open(reply());
  await ask();
  await screen.findByText('Greets in German.');
  act(() => change((doc) => ({ ...doc, flow: { ...doc.flow, name: 'Tea' } }), 'Renamed'));
  await screen.findByText(/The draft has changed since/);
  expect(screen.getByRole('button', { name: 'Apply to draft' })).toBeDisabled();
});

describe('without a proposal', () => {
  test('it says why, and what was not mended', async () => {
    open(reply({ proposal: null, message: 'The model could not mend it.', problems: ['/edges/0: nowhere'] }));
    await ask();
    await screen.findByText('The model could not mend it.');
    within(screen.getByRole('list', { name: 'Not mended' })).getByText('/edges/0: nowhere');
  });

  test('a failure of the provider has its reason', async () => {
    open({ code: 'unprocessable', detail: 'The provider refuses the key.', errors: [] }, { status: 422 });
    await ask();
    await screen.findByText(/The provider refuses the key/);
  });

  test('without a provider one sentence says how to get it', async () => {
    open({}, { state: { ready: false, message: 'An administrator can add one on the page Models.' } });
    await screen.findByText(/An administrator can add one/);
    expect(screen.queryByRole('button')).toBeNull();
  });
});

describe('a failed conversation', () => {
  const turn = (number: number, user_input: string | null, more: object = {}) =>
    ({
      flow_id: 'tea',
      version: 1,
      turn: number,
      current_node: null,
      now: 7,
      variables_in: { language: 'en' },
      input: { user_input, session_id: 'call 1' },
      answers: [{ kind: 'classify', answer: { kind: 'chosen', index: 1, confidence: 1 } }],
      ...more,
    }) as unknown as RecordedTurn;

  test('becomes a test whose last turn is for the author', async () => {
    const turns = [turn(1, null), turn(2, 'It hurts'), turn(3, 'later')];
    const failed = toFailed(turns, turns[1]!)!;
    expect(failed).toEqual({
      flowId: 'tea',
      name: 'fixed.call-1.2',
      test: {
        turns: [
          { user_input: null, classifier: [1], expect: {} },
          { user_input: 'It hurts', expect: {} },
        ],
        current_node: null,
        variables: { language: 'en' },
        now: 7,
      },
    });
    fixConversation(failed);
    open(reply({ proposal: null, message: 'x' }));
    await screen.findByText('It hurts');
    await press('Propose change');
    await screen.findByText('x');
    expect(sent[0]).toMatchObject({
      instruction: 'Fix this.',
      test: { turns: [{ expect: {} }, { expect: { status: 'handed_off' } }] },
    });
    await userEvent.selectOptions(screen.getByLabelText('What should the last turn do?'), 'message');
    await userEvent.type(screen.getByLabelText('Text'), 'Sorry.');
    expect(toTest(useAssistant.getState())!.turns[1]).toMatchObject({ expect: { messages: ['Sorry.'] } });
  });

  test('needs its input and its variables', () => {
    const partial = turn(1, 'x', { input: null });
    expect([
      toFailed([partial], partial),
      toFailed([turn(1, 'x', { variables_in: null })], turn(1, 'x')),
    ]).toEqual([null, null]);
  });
});
