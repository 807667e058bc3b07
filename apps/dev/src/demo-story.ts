// The story that `npm run demo` plays. Each step is tried over public interfaces only and seen from
// the outside: a step that does not happen in time throws.
import { createHmac } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import {
  pushService,
  receiver,
  type PushService,
  type ReceivedRequest,
  type Receiver,
} from '@parley/testing';
import { bodyOf, callService, expectStatus } from './call-service.ts';
import { talk } from './demo-conversation.ts';
import { holdTalk } from './story/hold-talk.ts';
import { mendFlow } from './story/mend-flow.ts';
import { dataOf, seen, type Story } from './story/story.ts';

const SAID = ['Ada', '7'];

/** @throws Error naming the first step that was not seen. */
export async function playStory(story: Story): Promise<void> {
  const outside = { webhooks: await receiver(), push: await pushService({ plain: true }) };
  try {
    const flowId = await publishFlow(story);
    const { botId, secret, webhookId } = await prepareBot(story, flowId, outside.webhooks);
    const texts = await hold(story, flowId, botId);
    await seeConversation(story, texts);
    await seeWebhooks(story, outside.webhooks, secret);
    await mendFlow(story, flowId, botId);
    await holdTalk(story, botId);
    await notifyEverywhere(story, outside.push);
    expectStatus(await callService(story.services['voice-api'], 'DELETE', `/v1/webhooks/${webhookId}`), 200);
  } finally {
    await Promise.all([outside.webhooks.close(), outside.push.close()]);
  }
}

const conversationId = ({ storyId }: Story): string => `demo-${storyId}`;

async function publishFlow({ services, storyId, print }: Story): Promise<string> {
  const builder = services['flow-builder'];
  const flow_id = `demo-${storyId}`;
  const definition = {
    nodes: [
      { id: 'start', type: 'message', text: 'Welcome to the demo.' },
      { id: 'name', type: 'collect', prompt: 'What is your name?', variable: 'name' },
      { id: 'seats', type: 'collect', prompt: 'How many seats?', variable: 'seats', cast: 'integer' },
      { id: 'many', type: 'end', message: '{{ seats }} seats, {{ name }}: I will ask a colleague.' },
      { id: 'few', type: 'end', message: '{{ seats }} seats for {{ name }} are booked.' },
    ],
    edges: [
      { source: 'start', target: 'name' },
      { source: 'name', target: 'seats' },
      { source: 'seats', target: 'many', variable: 'seats', op: 'gt', value: 8 },
      { source: 'seats', target: 'few', default: true },
    ],
  };
  expectStatus(await callService(builder, 'POST', '/v1/flows', { flow_id, definition }), 201);
  expectStatus(await callService(builder, 'POST', `/v1/flows/${flow_id}/publish`, {}), 200);
  print(`\n  ✓ flow ${flow_id} created and published`);
  return flow_id;
}

async function prepareBot({ services, storyId, print }: Story, flowId: string, webhooks: Receiver) {
  const voice = services['voice-api'];
  const bot = { name: `Demo ${storyId}`, flow_id: flowId };
  const { id: botId } = await dataOf<{ id: string }>(callService(voice, 'POST', '/v1/bots', bot), 201);
  const webhook = { url: `${webhooks.url}/parley`, events: ['*'], description: `Demo ${storyId}` };
  const { id: webhookId, secret } = await dataOf<{ id: string; secret: string }>(
    callService(voice, 'POST', '/v1/webhooks', webhook),
    201,
  );
  print(`  ✓ bot ${botId} and webhook ${webhookId} created`);
  return { botId, webhookId, secret };
}

/** Returns everything that was said, in order. */
async function hold(story: Story, flowId: string, botId: string): Promise<string[]> {
  const builder = story.services['flow-builder'];
  const conversation = { flowId, botId, conversationId: conversationId(story), answers: SAID };
  const { last, said } = await talk(builder, conversation);
  if (last?.status !== 'completed') throw new Error(`the conversation ended ${last?.status}, not completed`);
  story.print(`  ✓ conversation held: ${said.map((text) => JSON.stringify(text)).join(' ')}`);
  return said;
}

async function seeConversation(story: Story, texts: readonly string[]): Promise<void> {
  const voice = story.services['voice-api'];
  const path = `/v1/conversations/${conversationId(story)}`;
  await seen(story, 'the conversation is completed in the voice API', async () => {
    const answer = await callService(voice, 'GET', path);
    return (
      answer.status === 200 && bodyOf<{ data: { status: string } }>(answer, 200).data.status === 'completed'
    );
  });
  const { turns } = await dataOf<{ turns: readonly { text: string }[] }>(
    callService(voice, 'GET', `${path}/transcript`),
    200,
  );
  const heard = turns.map(({ text }) => text);
  if (JSON.stringify(heard) !== JSON.stringify(texts))
    throw new Error(`the transcript is ${JSON.stringify(heard)}, said was ${JSON.stringify(texts)}`);
  story.print('  ✓ its transcript is what was said');
}

async function seeWebhooks(story: Story, webhooks: Receiver, secret: string): Promise<void> {
  const wanted = [
    'conversation.started',
    'speech.final',
    'bot.message',
    'conversation.ended',
    'transcript.ready',
  ];
  const arrived = () => new Set(webhooks.requests.map((request) => eventOf(request)));
  await seen(story, `webhooks arrive: ${wanted.join(', ')}`, async () =>
    wanted.every((event) => arrived().has(event)),
  );
  for (const request of webhooks.requests) verify(request, secret);
  story.print(`  ✓ all ${webhooks.requests.length} are signed as they must be`);
}

function eventOf({ body }: ReceivedRequest): string {
  return (JSON.parse(body.toString('utf8')) as { event: string }).event;
}

/**
 * All three signatures of a delivery (docs/voice-api.md#signatures). @throws Error when one of them
 * is not right.
 */
function verify({ body, headers }: ReceivedRequest, secret: string): void {
  const raw = body.toString('utf8');
  const hmac = (text: string) => `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`;
  if (headers['x-signature-256'] !== hmac(raw)) throw new Error('X-Signature-256 is not right');
  const { signature } = JSON.parse(raw) as { signature: string };
  const signed = raw.slice(0, -`,"signature":"${signature}"}`.length) + '}';
  if (signature !== hmac(signed)) throw new Error('the signature in the body is not right');
  new Webhook(secret).verify(raw, headers as Record<string, string>); // throws
}

async function notifyEverywhere(story: Story, push: PushService): Promise<void> {
  const { services, storyId, mailDir, print } = story;
  const notifications = services.notifications;
  const user_id = `ada-${storyId}`;
  const subscription = push.subscribe();
  expectStatus(
    await callService(notifications, 'POST', '/v1/push/registrations', { subscription, user_id }),
    201,
  );
  const { notification_id } = bodyOf<{ notification_id: string }>(
    await callService(notifications, 'POST', '/v1/notify', {
      channels: ['in_app', 'email', 'web_push'],
      subject: 'Your seats are booked',
      message: `Demo ${storyId}: see you soon, Ada.`,
      target: { in_app: { user_id }, email: { email: 'ada@example.com' }, web_push: { user_id } },
    }),
    202,
  );
  print(`  ✓ notification ${notification_id} accepted for three channels`);
  await seen(story, 'it is in the inbox of the user', async () => {
    const inbox = await callService(notifications, 'GET', `/v1/notifications?user_id=${user_id}`);
    const { items } = bodyOf<{ items: readonly { notification_id: string }[] }>(inbox, 200);
    return items.some((item) => item.notification_id === notification_id);
  });
  await seen(story, `its mail is captured in ${mailDir}`, async () =>
    readdirSync(mailDir).some(
      (file) => file.endsWith('.eml') && readFileSync(join(mailDir, file), 'utf8').includes(notification_id),
    ),
  );
  await seen(story, 'its push arrives and is decrypted', async () =>
    push.pushes.some(({ text }) => text.includes(notification_id)),
  );
  if (push.problems.length > 0) throw new Error(`the push breaks rules: ${push.problems.join('; ')}`);
  await seen(story, 'every channel says that it was sent', async () => {
    const status = await callService(notifications, 'GET', `/v1/notify/${notification_id}`);
    const { channels } = bodyOf<{ channels: readonly { status: string }[] }>(status, 200);
    return channels.every((channel) => ['sent', 'delivered'].includes(channel.status));
  });
}
