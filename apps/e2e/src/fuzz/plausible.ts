// Plausible values, by name, for members whose schema says little, so that requests reach the
// actual work.
const nodes = [
  { id: 'ask', type: 'collect', prompt: 'How many?', variable: 'count', cast: 'integer' },
  { id: 'hook', type: 'webhook', url: 'http://127.0.0.1:9/x', events: ['completed'] },
  { id: 'end', type: 'end', message: 'Done: {{ count }}' },
];
const edges = [
  { source: 'ask', target: 'hook', variable: 'count', op: 'gt', value: 3 },
  { source: 'ask', target: 'end', default: true },
  { source: 'hook', target: 'end' },
];
const event = (type: string, data: object) => ({
  id: `e-${type}`,
  type,
  conversation_id: 'c1',
  occurred_at: '2026-01-01T00:00:00.000Z',
  data,
});

export const PLAUSIBLE: Readonly<Record<string, readonly unknown[]>> = {
  definition: [
    { nodes, edges },
    { nodes: nodes.slice(2), edges: [] },
  ],
  flow_id: ['f1', 'f2'],
  current_node: ['ask', 'end', null],
  events: [
    [event('conversation.started', {}), event('speech.final', { turn_index: 0, text: 'hello' })],
    [event('conversation.ended', {}), event('bot.message', { turn_index: 1, text: 'bye' })],
    ['*'],
    ['conversation.ended'],
  ],
  url: ['https://hooks.example.com/parley', 'http://127.0.0.1:9/x'],
  channels: [['in_app'], ['chat', 'in_app'], ['webhook'], ['email'], ['web_push']],
  target: [
    { in_app: { user_id: 'ada' } },
    { in_app: {} },
    { chat: { webhook_url: 'http://127.0.0.1:9/hooks/x' }, in_app: {} },
    { webhook: { url: 'http://127.0.0.1:9/x' } },
    { email: { email: 'ada@example.com' } },
    { web_push: { user_id: 'ada' } },
    { web_push: { broadcast: true } },
  ],
  subscription: [
    {
      endpoint: 'http://127.0.0.1:9/push/1',
      // RFC 8291, Appendix A
      keys: {
        p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
        auth: 'BTBZMqHH6r4Tts7J_aSIgg',
      },
    },
  ],
  user_id: ['ada', 'bob'],
  metadata: [{}, { plan: 'gold' }],
};
