// The load of a drill, the webhook that receives it, and what is there at the end.
import { Webhook } from 'standardwebhooks';
import type { ServiceName, Stack } from '@parley/dev/stack';
import { receiver } from '@parley/testing';
import type { DrillItem, Report } from './account.rules.ts';

const FLOW_ID = 'drill';
const REQUEST_TIMEOUT_MS = 5_000;
const FLOW = {
  nodes: [
    { id: 'start', type: 'message', text: 'Welcome.' },
    { id: 'name', type: 'collect', prompt: 'Your name?', variable: 'name' },
    { id: 'bye', type: 'end', message: 'Good bye, {{ name }}.' },
  ],
  edges: [
    { source: 'start', target: 'name' },
    { source: 'name', target: 'bye' },
  ],
};

export interface Load {
  readonly items: readonly DrillItem[];
  readonly webhooks: readonly Report[];
  stop(): Promise<void>;
  /** Ids of the items that the services have. */
  findPresent(): Promise<Set<string>>;
  /** Reports events of a conversation that a stream watches. */
  report(conversationId: string, events: readonly object[]): Promise<void>;
  close(): Promise<void>;
}

type Ask = (service: ServiceName, method: string, path: string, body?: object) => Promise<Answer>;
interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

export async function startReceiver() {
  const webhooks: Report[] = [];
  let secret = '';
  const endpoint = await receiver({
    fallback: ({ path, body, headers }) => {
      const text = body.toString('utf8');
      const messageId = String(headers['webhook-id']);
      if (path === '/sends') {
        const { text: fact } = JSON.parse(text) as { text: string };
        webhooks.push({ fact, messageId, atMs: Date.now() });
        return 200;
      }
      new Webhook(secret).verify(text, headers as Record<string, string>);
      const { event, data } = JSON.parse(text) as { event: string; data: Record<string, string> };
      // A revised transcript is announced again, under another id.
      if (event !== 'transcript.ready')
        webhooks.push({
          fact: `${data['conversation_id']}|${event}|${data['text'] ?? ''}`,
          messageId,
          atMs: Date.now(),
        });
      return 200;
    },
  });
  return {
    webhooks,
    url: endpoint.url,
    close: endpoint.close,
    verifyWith: (given: string) => void (secret = given),
  };
}

function createAsk({ services }: Stack): Ask {
  return async (service, method, path, body) => {
    const { origin, apiKey } = services[service];
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
    const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
    const answer = await fetch(`${origin}${path}`, {
      method,
      headers,
      signal,
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) };
  };
}

/** `everyMs`: one item of each kind. Requests without a success count as not accepted. */
export async function startLoad(
  stack: Stack,
  receiver: Awaited<ReturnType<typeof startReceiver>>,
  everyMs: number,
): Promise<Load> {
  const ask = createAsk(stack);
  const create = async (...request: Parameters<Ask>): Promise<Record<string, unknown>> => {
    const { status, body } = await ask(...request);
    if (status >= 300) throw new Error(`${request[2]}: ${status} ${JSON.stringify(body)}`);
    return (body['data'] ?? body) as Record<string, unknown>;
  };
  await create('flow-builder', 'POST', '/v1/flows', { flow_id: FLOW_ID, definition: FLOW });
  await create('flow-builder', 'POST', `/v1/flows/${FLOW_ID}/publish`, {});
  const bot = await create('voice-api', 'POST', '/v1/bots', { name: 'Drill', flow_id: FLOW_ID });
  const hook = { url: `${receiver.url}/conversations`, events: ['*'] };
  receiver.verifyWith(String((await create('voice-api', 'POST', '/v1/webhooks', hook))['secret']));

  const items: DrillItem[] = [];
  const sends = new Map<string, string>();
  const accept = (kind: DrillItem['kind'], id: string, sentAtMs: number): void =>
    void items.push({ kind, id, sentAtMs, acceptedAtMs: Date.now() });

  async function talk(id: string): Promise<void> {
    const sentAtMs = Date.now();
    const turn = { session_id: id, bot_id: bot['id'] };
    const path = `/product/v1/flows/${FLOW_ID}/execute`;
    const first = await create('flow-builder', 'POST', path, turn);
    const { next_node: current_node, variables } = first;
    await create('flow-builder', 'POST', path, { ...turn, current_node, variables, user_input: `Ada ${id}` });
    accept('talk', id, sentAtMs);
  }
  const report = async (id: string, events: readonly object[]): Promise<void> => {
    const whole = events.map((event) => ({
      conversation_id: id,
      bot_id: bot['id'],
      occurred_at: new Date().toISOString(),
      ...event,
    }));
    const { rejected } = await create('voice-api', 'POST', '/v1/conversations/events', { events: whole });
    if ((rejected as number) > 0 || (Array.isArray(rejected) && rejected.length > 0))
      throw new Error(`rejected: ${JSON.stringify(rejected)}`);
  };
  async function call(id: string): Promise<void> {
    const sentAtMs = Date.now();
    await report(id, [
      { id: `${id}-0`, type: 'conversation.started', data: { channel: 'phone' } },
      { id: `${id}-1`, type: 'speech.final', data: { turn_index: 0, text: `Hello ${id}` } },
      { id: `${id}-2`, type: 'conversation.ended', data: { end_reason: 'flow_completed' } },
    ]);
    accept('call', id, sentAtMs);
  }
  async function send(id: string): Promise<void> {
    const sentAtMs = Date.now();
    const target = { chat: { webhook_url: `${receiver.url}/sends` } };
    const sent = await create('notifications', 'POST', '/v1/notify', {
      channels: ['chat'],
      message: id,
      target,
    });
    sends.set(id, String(sent['notification_id'] ?? sent['id']));
    accept('send', id, sentAtMs);
  }

  const pending = new Set<Promise<unknown>>();
  let count = 0;
  const timer = setInterval(() => {
    count += 1;
    for (const one of [talk(`talk-${count}`), call(`call-${count}`), send(`send-${count}`)]) {
      const settled = one.catch(() => undefined).finally(() => pending.delete(settled));
      pending.add(settled);
    }
  }, everyMs);

  const isPresent = async ({ kind, id }: DrillItem): Promise<boolean> => {
    if (kind === 'send')
      return (await ask('notifications', 'GET', `/v1/notify/${sends.get(id)}`)).status === 200;
    const { status, body } = await ask('voice-api', 'GET', `/v1/conversations/${id}`);
    return status === 200 && (body['data'] as { status: string }).status === 'completed';
  };
  return {
    items,
    webhooks: receiver.webhooks,
    stop: async () => {
      clearInterval(timer);
      await Promise.all(pending);
    },
    findPresent: async () => {
      const present = new Set<string>();
      for (const item of items) if (await isPresent(item)) present.add(item.id);
      return present;
    },
    report,
    close: () => receiver.close(),
  };
}
