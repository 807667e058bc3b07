import { describe, expect, test } from '@jest/globals';
import type { OutgoingEvent } from './plan-deliveries.rules.ts';
import type { WebhookSelection } from '../webhooks/selection.rules.ts';
import { BATCH_DELIVERIES_MAX, planDeliveries, listSpokenTurns } from './plan-deliveries.rules.ts';

const ids = () => {
  let next = 0;
  return (prefix: string) => `${prefix}_${(next += 1)}`;
};
const webhook = (id: string, over: Partial<WebhookSelection> = {}): WebhookSelection => ({
  id,
  organizationId: 'acme',
  applicationId: null,
  events: ['*'],
  botIds: [],
  passes: () => true,
  ordered: false,
  status: 'active',
  ...over,
});
let made = 0;
const event = (over: Partial<OutgoingEvent> = {}): OutgoingEvent => ({
  id: `evt_${(made += 1)}`,
  organizationId: 'acme',
  conversationId: 'c1',
  botId: null,
  applicationId: null,
  type: 'conversation.started',
  occurredAt: new Date(0),
  sequence: 1,
  turnIndex: null,
  data: {},
  ...over,
});
const interim = (sequence: number, turnIndex = 1) => event({ type: 'speech.interim', sequence, turnIndex });

test('a webhook of an application gets the events of its conversations alone', () => {
  const plan = planDeliveries(
    [event(), event({ applicationId: 'shop' }), event({ applicationId: 'bank' })],
    [webhook('all'), webhook('of shop', { applicationId: 'shop' })],
    ids(),
  );
  const counts = (id: string) => plan.deliveries.filter(({ webhookId }) => webhookId === id).length;
  expect([counts('all'), counts('of shop')]).toEqual([3, 1]);
});

test('each webhook of the organisation that selects the type gets one delivery', () => {
  const plan = planDeliveries(
    [event(), event({ organizationId: 'other' })],
    [
      webhook('all'),
      webhook('started', { events: ['conversation.started'] }),
      webhook('ended', { events: ['conversation.ended'] }),
    ],
    ids(),
  );
  expect(plan.deliveries.map(({ webhookId }) => webhookId)).toEqual(['all', 'started']);
  expect(plan.events).toHaveLength(2); // webhooks do not receive the other one, but the feed has it
});

test('deliveries of disabled webhooks are skipped and not batched', () => {
  const plan = planDeliveries([event()], [webhook('off', { status: 'disabled' })], ids());
  expect(plan.deliveries).toMatchObject([{ status: 'skipped' }]);
  expect(plan.batches).toEqual([]);
});

test('a batch has a maximum of deliveries', () => {
  const events = Array.from({ length: BATCH_DELIVERIES_MAX + 1 }, () => event());
  const plan = planDeliveries(events, [webhook('one')], ids());
  expect(plan.batches.map(({ deliveryIds }) => deliveryIds.length)).toEqual([BATCH_DELIVERIES_MAX, 1]);
});

describe('interims', () => {
  const statuses = (events: OutgoingEvent[]) =>
    planDeliveries(events, [webhook('one')], ids()).deliveries.map(({ status }) => status);
  test('are superseded by a later interim or final of their turn, in any order of arrival', () => {
    expect(statuses([interim(1), interim(2)])).toEqual(['superseded', 'pending']);
    expect(statuses([interim(2), interim(1)])).toEqual(['pending', 'superseded']);
    const final = event({ type: 'speech.final', sequence: 3, turnIndex: 1 });
    expect(statuses([interim(1), final])).toEqual(['superseded', 'pending']);
  });
  test('are not superseded by another turn or another conversation', () => {
    expect(statuses([interim(1, 1), interim(2, 2)])).toEqual(['pending', 'pending']);
    expect(statuses([interim(1), { ...interim(2), conversationId: 'c2' }])).toEqual(['pending', 'pending']);
  });
  test('of earlier batches are searched only when a webhook selects interims', () => {
    expect(listSpokenTurns([interim(1), interim(2)], [webhook('one')])).toEqual([
      { organizationId: 'acme', conversationId: 'c1', turnIndex: 1 },
    ]);
    expect(listSpokenTurns([interim(1)], [webhook('one', { events: ['bot.message'] })])).toEqual([]);
  });
});
