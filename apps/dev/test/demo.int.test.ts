// The story of `npm run demo` against the built services, once per queue engine
// (docs/platform.md#development-stack).
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { startStack, type QueuePlan } from '../src/stack/index.ts';
import { playStory } from '../src/demo-story.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');
/** Starting servers and three services from nothing, and the story. */
const TIMEOUT_MS = 120_000;

const engines: [string, Record<string, string | undefined>, QueuePlan | undefined][] = [
  ['Redis', { QUEUE_URL: process.env['TEST_REDIS_URL'], QUEUE_PREFIX: `demo-${process.pid}` }, undefined],
  ['Postgres', {}, { kind: 'postgres' }],
];

test.each(engines)(
  'the whole story is seen, with queues in %s',
  async (engine, env, queue) => {
    const home = mkdtempSync(join(tmpdir(), `parley-demo-${engine}-`));
    const stack = await startStack({
      root,
      home,
      released: true,
      env: { PATH: process.env['PATH'], ...env },
      ...(queue ? { queue } : {}),
      throwaway: true,
    });
    const lines: string[] = [];
    try {
      await playStory({
        services: stack.services,
        mailDir: join(home, 'mail'),
        storyId: `${process.pid}`,
        signal: new AbortController().signal,
        print: (line) => lines.push(line),
      });
      expect(lines.at(-1)).toContain('every channel says that it was sent');
      expect(lines.join('\n')).toContain('Callers who answer 8 to `seats` now reach `many`, before `few`.');
      expect(lines.join('\n')).toMatch(/says why: \S/);
    } finally {
      await stack.stop();
      rmSync(home, { recursive: true, force: true });
    }
  },
  TIMEOUT_MS,
);
