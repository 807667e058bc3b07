// Clients of the feed and of a conversation stream, by both SDKs, as docs/sdk.md shows them.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import type { Stack } from '@parley/dev/stack';
import { ApiError, Parley } from '@parley/sdk';
import { ROOT } from './servers.ts';

const ENDED = 'conversation.ended';
/** Between two requests while the service is away. */
const RETRY_MS = 500;

export interface Readers {
  /** Conversations whose end each reader of the feed got. */
  readonly feeds: Readonly<Record<string, ReadonlySet<string>>>;
  /** Streams of the watched conversation that got its end. */
  readonly streams: ReadonlySet<string>;
  close(): Promise<void>;
}

/** `watched`: the conversation that streams read. */
export function startReaders(stack: Stack, watched: string, path: string): Readers {
  const { origin, apiKey: key } = stack.services['voice-api'];
  const url = `${origin}/v1`;
  const parley = new Parley({ voiceApi: { url, key } });
  const stopping = new AbortController();
  const feeds = { 'TypeScript SDK': new Set<string>(), 'Python SDK': new Set<string>() };
  const streams = new Set<string>();

  async function readFeed(): Promise<void> {
    let after: string | undefined;
    while (!stopping.signal.aborted) {
      try {
        const page = await parley.voiceApi.readEvents({ ...(after === undefined ? {} : { after }), wait: 1 });
        for (const { event, data } of page.items)
          if (event === ENDED)
            feeds['TypeScript SDK'].add(String((data as { conversation_id: string }).conversation_id));
        after = page.next_after;
      } catch (error) {
        if (error instanceof ApiError && error.code === 'position_outdated')
          after = (error.body as { error: { details: { next_after: string } } }).error.details.next_after;
        else await delay(RETRY_MS);
      }
    }
  }

  async function readStream(): Promise<void> {
    while (!stopping.signal.aborted && !streams.has('TypeScript SDK')) {
      try {
        const stream = parley.voiceApi.streamConversation({ conversation_id: watched });
        for await (const { event } of stream) {
          if (event !== ENDED) continue;
          streams.add('TypeScript SDK');
          break;
        }
      } catch {
        await delay(RETRY_MS);
      }
    }
  }

  const env = {
    PATH: path,
    PYTHONPATH: join(ROOT, 'libs/sdk-python/src'),
    PYTHONDONTWRITEBYTECODE: '1',
  };
  const python = spawn('python3', ['-u', '-c', PYTHON, url, key, watched], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  createInterface({ input: python.stdout }).on('line', (line) => {
    const [what, id = ''] = line.split(' ');
    if (what === 'feed') feeds['Python SDK'].add(id);
    else streams.add('Python SDK');
  });
  const done = Promise.all([readFeed(), readStream()]);
  return {
    feeds,
    streams,
    close: async () => {
      stopping.abort();
      python.kill();
      await Promise.race([done, delay(RETRY_MS * 10)]);
    },
  };
}

const PYTHON = `
import sys, threading, time
from parley_sdk import ApiError, Parley, Service
url, key, watched = sys.argv[1:]
parley = Parley(voice_api=Service(url, key))

def read_stream():
    while True:
        try:
            for event in parley.voice_api.stream_conversation(watched):
                if event.event == "${ENDED}":
                    print("stream", watched, flush=True)
                    return
        except Exception:
            time.sleep(0.5)

threading.Thread(target=read_stream, daemon=True).start()
after = None
while True:
    try:
        page = parley.voice_api.read_events(wait=1, **({} if after is None else {"after": after}))
        for item in page["items"]:
            if item["event"] == "${ENDED}":
                print("feed", item["data"]["conversation_id"], flush=True)
        after = page["next_after"]
    except ApiError as error:
        if error.code == "position_outdated":
            after = error.body["error"]["details"]["next_after"]
        else:
            time.sleep(0.5)
    except Exception:
        time.sleep(0.5)
`;
