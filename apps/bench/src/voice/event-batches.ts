// The conversation events that the voice suite sends. Pure: ids and times come as arguments.

const TURNS_PER_CONVERSATION = 4;
/** Events of one conversation: its start, a turn of each side four times, its end. */
export const EVENTS_PER_CONVERSATION = 2 + 2 * TURNS_PER_CONVERSATION;

interface Event {
  readonly id: string;
  readonly type: string;
  readonly conversation_id: string;
  readonly occurred_at: string;
  readonly data: Readonly<Record<string, unknown>>;
}

const SAID =
  'I would like to move my appointment to next Tuesday in the morning, if that is possible at all.';
const ANSWERED =
  'Of course. There is a free slot at nine, and another one at half past ten. Which one suits you better?';

/**
 * Whole conversations, one after the other, as the body of POST /conversations/events. @param name
 * makes every id its own
 */
export function conversationBatch(name: string, conversations: number, startedAtMs: number): string {
  const events = Array.from({ length: conversations }, (_, index) =>
    conversation(`conv_${name}_${index}`, index, startedAtMs),
  ).flat();
  return JSON.stringify({ events });
}

function conversation(id: string, index: number, startedAtMs: number): Event[] {
  const events: Event[] = [];
  const add = (type: string, atMs: number, data: Event['data']): void => {
    events.push({
      id: `${id}_${events.length}`,
      type,
      conversation_id: id,
      occurred_at: new Date(startedAtMs + atMs).toISOString(),
      data,
    });
  };
  add('conversation.started', 0, {
    channel: 'phone',
    direction: 'inbound',
    from: `+4930555${index}`,
    language: 'en',
  });
  for (let turn = 0; turn < TURNS_PER_CONVERSATION; turn += 1) {
    const atMs = (turn + 1) * 10_000;
    const said = { start_ms: atMs, end_ms: atMs + 3_000 };
    add('speech.final', atMs, { ...said, turn_index: 2 * turn, text: SAID, confidence: 0.93 });
    const metrics = { e2e_ms: 700 + index, asr_ms: 120, llm_ms: 380, tts_ms: 90 };
    add('bot.message', atMs + 4_000, { ...said, turn_index: 2 * turn + 1, text: ANSWERED, metrics });
  }
  add('conversation.ended', 60_000, { duration_seconds: 60 });
  return events;
}

/**
 * Characters of a message whose delivery has about 2 KB, as in the measurements that the target
 * comes from.
 */
const TEXT = 'Your order has left our warehouse. '.repeat(45);

/**
 * Bot messages, each worth one delivery a webhook. The name of the conversation says when the batch
 * was sent (`conv_<ms>_…`, milliseconds of the machine's clock with a fraction), so that a receiver
 * can tell how long a delivery took.
 */
export function messageBatch(name: string, messages: number, sentAtMs: number): string {
  const sent = sentAtMs.toFixed(3).replace('.', '-');
  const events: Event[] = Array.from({ length: messages }, (_, index) => ({
    id: `${name}_${index}`,
    type: 'bot.message',
    conversation_id: `conv_${sent}_${name}_${Math.floor(index / 10)}`,
    occurred_at: new Date(sentAtMs).toISOString(),
    data: { turn_index: index % 10, text: TEXT },
  }));
  return JSON.stringify({ events });
}

/**
 * When the batch of a delivery was sent, by the name of its conversation; undefined where it says
 * nothing.
 */
export function sentAtOf(deliveryBody: string): number | undefined {
  const found = /"conversation_id":"conv_(\d+)-(\d{3})_/.exec(deliveryBody);
  return found ? Number(`${found[1]}.${found[2]}`) : undefined;
}
