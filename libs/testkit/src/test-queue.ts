// A part of Redis for one test file alone.
import { randomBytes } from 'node:crypto';
import { testRedisUrl } from './test-servers.ts';

/**
 * The test run's Redis and a BullMQ prefix of its own, so that files running side by side never see each other's
 * jobs. Nothing is removed afterwards: the server is thrown away with the run.
 */
export function testQueue(): { url: string; prefix: string } {
  return { url: testRedisUrl(), prefix: `t${randomBytes(6).toString('hex')}` };
}
