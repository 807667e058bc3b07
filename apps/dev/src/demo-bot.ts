// Puts the demo bot and its webhook into the voice API, over its public API.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivately } from './stack/index.ts';
import { bodyOf, callService, expectStatus } from './call-service.ts';
import type { ServiceAccess } from './call-service.ts';

/** Finds the bot again, also after it was renamed. */
const DEMO_TAG = 'parley-demo';
/** Finds the webhook again. */
const DEMO_WEBHOOK = 'The receiver that runs inside npm start';

interface Page<T> {
  readonly data: { readonly items: readonly T[] };
}

/** Returns the demo bot's id; one that is there is left as it is. */
export async function keepDemoBot(voice: ServiceAccess, flowId: string): Promise<string> {
  const found = bodyOf<Page<{ id: string }>>(
    await callService(voice, 'GET', `/v1/bots?tag=${DEMO_TAG}&limit=1`),
    200,
  );
  const [bot] = found.data.items;
  if (bot) return bot.id;
  const created = await callService(voice, 'POST', '/v1/bots', {
    name: 'Demo bot',
    description:
      'Talks through the demo flow; name it in an execute request and the conversation shows up here.',
    flow_id: flowId,
    first_message: 'Hello! How can I help?',
    tags: [DEMO_TAG],
  });
  return bodyOf<{ data: { id: string } }>(created, 201).data.id;
}

/** Registers the demo receiver, or points its webhook to where it is now. */
export async function keepDemoWebhook(voice: ServiceAccess, url: string, secret: string): Promise<void> {
  const all = bodyOf<Page<{ id: string; url: string; description: string | null; status: string }>>(
    await callService(voice, 'GET', '/v1/webhooks?limit=100'),
    200,
  );
  const found = all.data.items.find(({ description }) => description === DEMO_WEBHOOK);
  if (found) {
    if (found.url === url && found.status === 'active') return;
    const change = { url, status: 'active' };
    expectStatus(await callService(voice, 'PATCH', `/v1/webhooks/${found.id}`, change), 200);
    return;
  }
  // In order, because the terminal prints the story of a conversation.
  const webhook = { url, events: ['*'], secret, description: DEMO_WEBHOOK, ordered: true };
  expectStatus(await callService(voice, 'POST', '/v1/webhooks', webhook), 201);
}

/** The secret that the demo webhook was registered with; made at the first start. */
export function keepDemoSecret(home: string): string {
  const path = join(home, 'secrets', 'demo-webhook');
  if (!existsSync(path)) writePrivately(path, `whsec_${randomBytes(32).toString('base64')}`);
  return readFileSync(path, 'utf8');
}
