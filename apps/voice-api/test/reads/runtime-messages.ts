// Acts as a media runtime in the cluster: adds messages to the queue.
import { contracts, type Envelope, type JobKind } from '@parley/jobs';
import type { VoiceApi } from '../service.ts';

const { queue, attempts, timeoutMs } = contracts['conversation.event'];
let messages = 0;

/** Returns whether the queue accepted the messages. */
export async function enqueue(
  events: readonly object[],
  { deps }: Pick<VoiceApi, 'deps'>,
  organizationId = 'acme',
): Promise<boolean> {
  const kind: JobKind<Envelope> = {
    name: 'conversation.event',
    queue,
    attempts,
    timeoutMs,
    payload: undefined as never,
  };
  const keys = await deps.messageKeys.current(); // all parties of a test share one key
  return deps.queues.producer(kind).enqueue(
    events.map((payload) => {
      messages += 1;
      const id = `runtime-${messages}`;
      const text = JSON.stringify(payload);
      const mac = keys.sign(
        ['conversation.event', 'media-runtime', 'voice-api', id, organizationId, null],
        text,
      );
      return {
        row: id,
        attempt: 1,
        enqueueNumber: 0,
        payload: { id, organization_id: organizationId, payload: text, mac },
      };
    }),
  );
}
