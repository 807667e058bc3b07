// Test data for the stories in browser/, created over the public APIs.
import assert from 'node:assert/strict';
import type { Stack } from '@parley/dev/stack';

export const FLOW = {
  flow_id: 'greeting',
  name: 'Greeting',
  definition: {
    nodes: [
      { id: 'start', type: 'collect', prompt: 'What is your name?', variable: 'name' },
      { id: 'bye', type: 'end', message: 'Hello {{ name }}.' },
    ],
    edges: [{ source: 'start', target: 'bye' }],
  },
};
export const CALL = 'call-4711';
export const CALLER = '+4930901820';

interface Access {
  readonly baseUrl: string;
  readonly apiKey: string;
}

export async function ask(
  { baseUrl, apiKey }: Access,
  path: string,
  body?: object,
  method = 'POST',
): Promise<unknown> {
  const response = await fetch(baseUrl + path, {
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    ...(body ? { method, body: JSON.stringify(body) } : {}),
  });
  assert.ok(response.ok, `${path} answers ${response.status}`);
  return response.json();
}

export async function seed({ services }: Pick<Stack, 'services'>): Promise<void> {
  const { 'flow-builder': flows, 'voice-api': voice } = services;
  await ask(flows, '/v1/flows', FLOW);
  await ask(flows, `/v1/flows/${FLOW.flow_id}/publish`, {});
  const bot = (await ask(voice, '/bots', { name: 'Demo', flow_id: FLOW.flow_id })) as {
    data: { id: string };
  };
  const start = Date.now() - 3_600_000;
  let made = 0;
  const event = (type: string, afterMs: number, data: object) => ({
    id: `event-${(made += 1)}`,
    type,
    conversation_id: CALL,
    bot_id: bot.data.id,
    occurred_at: new Date(start + afterMs).toISOString(),
    data,
  });
  const metrics = { e2e_ms: 900, asr_ms: 120, llm_ms: 500, tts_ms: 200 };
  const said = (turn_index: number, text: string, start_ms: number, end_ms: number, more: object) => ({
    turn_index,
    text,
    start_ms,
    end_ms,
    ...more,
  });
  const cost = { currency: 'EUR', total: 0.0421, parts: [{ name: 'telephony', amount: 0.03 }] };
  const recording_url = 'https://recordings.example.com/call-4711.ogg';
  const phone = { channel: 'phone', direction: 'inbound', from: CALLER, metadata: { order: '1042' } };
  const events = [
    event('conversation.started', 0, phone),
    event('bot.message', 1_500, said(1, 'Hello.', 500, 1_500, { metrics })),
    event('speech.final', 4_000, said(2, 'Where is my order?', 2_000, 4_000, { confidence: 0.6 })),
    event('bot.message', 8_000, said(3, 'On its way.', 5_000, 8_000, { metrics, interrupted: true })),
    event('conversation.ended', 9_000, { end_reason: 'user_hangup', cost, recording_url }),
  ];
  const taken = await ask(voice, '/conversations/events', { events });
  assert.deepEqual((taken as { data: { rejected: object[] } }).data.rejected, []);
}

/** Path of the page of the newest webhook. */
export async function firstWebhook({ services }: Pick<Stack, 'services'>): Promise<string> {
  const list = (await ask(services['voice-api'], '/webhooks')) as { data: { items: { id: string }[] } };
  return `/webhooks/${list.data.items[0]!.id}`;
}
