// Follows a live conversation by its event stream (docs/voice-api.md#conversation-streams), or by
// polling when no stream opens.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { z } from 'zod';
import { getDeliveriesKey } from '../webhooks/api.ts';
import { EVENT_TYPES } from '../webhooks/catalogue.ts';
import { conversationQuery, isLive } from './api.ts';

const POLL_MS = 2_000;
/** Events within this time cause one reload. */
const RELOAD_DELAY_MS = 200;

/** What speech recognition understood so far. */
export interface Interim {
  readonly index: number;
  readonly text: string;
}

const spoken = z.object({ data: z.object({ turn_index: z.number(), text: z.string() }) });

/** Null when the event has no interim text. Pure. */
export function parseInterim(body: string): Interim | null {
  try {
    const { data } = spoken.parse(JSON.parse(body));
    return { index: data.turn_index, text: data.text };
  } catch {
    return null;
  }
}

export function useLiveConversation(id: string) {
  const [isStreaming, setStreaming] = useState(false);
  const [interim, setInterim] = useState<Interim | null>(null);
  const queryClient = useQueryClient();
  const conversation = useQuery({
    ...conversationQuery(id),
    refetchInterval: ({ state }) => (state.data && isLive(state.data) && !isStreaming ? POLL_MS : false),
  });
  const live = conversation.data !== undefined && isLive(conversation.data);
  useEffect(() => {
    if (!live) return;
    const stream = new EventSource(`/api/voice-api/v1/conversations/${encodeURIComponent(id)}/stream`);
    let soon: ReturnType<typeof setTimeout> | undefined;
    const again = () => {
      soon ??= setTimeout(() => {
        soon = undefined;
        for (const queryKey of [['conversation', id], ['transcript', id], getDeliveriesKey(id)])
          void queryClient.invalidateQueries({ queryKey });
      }, RELOAD_DELAY_MS);
    };
    stream.addEventListener('ready', () => setStreaming(true));
    stream.addEventListener('error', () => setStreaming(false));
    // Events may have occurred before the stream opened.
    for (const name of ['ready', 'reset', ...EVENT_TYPES])
      if (name !== 'speech.interim') stream.addEventListener(name, again);
    stream.addEventListener('speech.interim', ({ data }: MessageEvent<string>) =>
      setInterim(parseInterim(data)),
    );
    return () => {
      clearTimeout(soon);
      stream.close();
      setStreaming(false);
    };
  }, [id, live, queryClient]);
  const everyMs = live && !isStreaming ? POLL_MS : null;
  return { conversation, live, isStreaming, interim: live ? interim : null, everyMs };
}
