// Answers by question: counts, refused answers, and the empty state.
import { afterEach, expect, jest, test } from '@jest/globals';
import { QueryClientProvider } from '@tanstack/react-query';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { AuthoredFlow } from '@parley/flow-engine';
import { makeQueryClient } from '../../api/query-client.ts';
import { Answers, type FlowAnswers } from './answers.tsx';

const realFetch = globalThis.fetch;
afterEach(() => void (globalThis.fetch = realFetch));

const flow = { nodes: [{ id: 'ask_day', type: 'collect' }], edges: [] } as unknown as AuthoredFlow;
const counts = { understood: 1_500, understood_later: 0, asked_again: 400, lost: 100 };

function open(questions: FlowAnswers['questions'], complete = true) {
  const asked: URLSearchParams[] = [];
  globalThis.fetch = (async ({ url }: Request) => {
    asked.push(new URL(url).searchParams);
    const data = { flow_id: 'f', version: 2, days: 30, complete, questions };
    return Response.json({ success: true, data, meta: { request_id: 'r', timestamp: '' } });
  }) as typeof fetch;
  const onChoose = jest.fn();
  render(
    <QueryClientProvider client={makeQueryClient()}>
      <Answers flow={flow} flowId="f" version={2} chosen={null} onChoose={onChoose} />
    </QueryClientProvider>,
  );
  return { asked, onChoose, user: userEvent.setup() };
}

test('shows each question of the flow with the answers it refused', async () => {
  const refused = [{ words: 'next week', count: 12 }];
  const { user, onChoose } = open([
    { index: 0, ...counts, refused },
    { index: 7, ...counts, refused: [] }, // in a called flow
  ]);
  const question = await screen.findByRole('button', { name: 'ask_day' });
  expect(screen.getByText('1,500 immediately · 400 asked again · 100 lost')).toBeTruthy();
  expect(screen.getByText('Not understood: “next week” 12')).toBeTruthy();
  expect(screen.getAllByRole('listitem')).toHaveLength(1);
  await user.click(question);
  expect(onChoose).toHaveBeenCalledWith('ask_day');
});

test('changes the period', async () => {
  const { user, asked } = open([{ index: 0, ...counts, refused: [] }], false);
  expect(await screen.findByText('Only the newest conversations are counted.')).toBeTruthy();
  await user.selectOptions(screen.getByLabelText('Period'), '7');
  await screen.findByRole('button', { name: 'ask_day' });
  expect(asked.map((query) => query.get('days'))).toEqual(['30', '7']);
});

test('explains the empty state', async () => {
  open([]);
  expect(await screen.findByText(/No answers in this period/)).toBeTruthy();
});
