// A separate part of Redis for one test file.
import { randomBytes } from 'node:crypto';
import { testRedisUrl } from './test-servers.ts';

/**
 * The test run's Redis and a unique BullMQ prefix, so that concurrent files never see each other's
 * jobs. Nothing is removed: the server is deleted after the run.
 */
export function testQueue(): { url: string; prefix: string } {
  return { url: testRedisUrl(), prefix: `t${randomBytes(6).toString('hex')}` };
}
