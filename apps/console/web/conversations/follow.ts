// One conversation while it goes on: its events as they are applied, by its stream (docs/voice-api.md#conversation-streams). The page's own
// cookie opens it, so that no ticket stands in an address. Where there is no stream (too many are open), it is looked at again instead.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { z } from 'zod';
import { deliveriesOf } from '../webhooks/api.ts';
import { EVENT_TYPES } from '../webhooks/catalogue.ts';
import { conversationQuery, isLive } from './api.ts';

const WITHOUT_STREAM_EVERY_MS = 2_000;
/** Several events of a moment ask once. */
const TOGETHER_MS = 200;

/** What the caller seems to be saying. */
export interface Interim {
  readonly index: number;
  readonly text: string;
}

const spoken = z.object({ data: z.object({ turn_index: z.number(), text: z.string() }) });

/** Pure: null where it says nothing. */
export function interimIn(body: string): Interim | null {
  try {
    const { data } = spoken.parse(JSON.parse(body));
    return { index: data.turn_index, text: data.text };
  } catch {
    return null;
  }
}

export function useFollowed(id: string) {
  const [isTold, setTold] = useState(false);
  const [interim, setInterim] = useState<Interim | null>(null);
  const queryClient = useQueryClient();
  const conversation = useQuery({
    ...conversationQuery(id),
    refetchInterval: ({ state }) =>
      state.data && isLive(state.data) && !isTold ? WITHOUT_STREAM_EVERY_MS : false,
  });
  const live = conversation.data !== undefined && isLive(conversation.data);
  useEffect(() => {
    if (!live) return;
    const stream = new EventSource(`/api/voice-api/v1/conversations/${encodeURIComponent(id)}/stream`);
    let soon: ReturnType<typeof setTimeout> | undefined;
    const again = () => {
      soon ??= setTimeout(() => {
        soon = undefined;
        for (const queryKey of [['conversation', id], ['transcript', id], deliveriesOf(id)])
          void queryClient.invalidateQueries({ queryKey });
      }, TOGETHER_MS);
    };
    stream.addEventListener('ready', () => setTold(true));
    stream.addEventListener('error', () => setTold(false));
    // Something may have been said between the page and the stream.
    for (const name of ['ready', 'reset', ...EVENT_TYPES])
      if (name !== 'speech.interim') stream.addEventListener(name, again);
    stream.addEventListener('speech.interim', ({ data }: MessageEvent<string>) =>
      setInterim(interimIn(data)),
    );
    return () => {
      clearTimeout(soon);
      stream.close();
      setTold(false);
    };
  }, [id, live, queryClient]);
  const everyMs = live && !isTold ? WITHOUT_STREAM_EVERY_MS : null;
  return { conversation, live, isTold, interim: live ? interim : null, everyMs };
}
