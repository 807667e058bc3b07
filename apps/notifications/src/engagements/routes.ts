// Public endpoints of tracked links, pictures and push beacons
// (docs/notifications.md#opens-and-clicks). Only the token authenticates. The answer is the same
// whether an event is new, known or for a deleted notification.
import { z } from 'zod';
import { get, post, Reply, type Endpoint } from '@parley/server/http';
import { ignoreFailure } from '@parley/server/runtime';
import type { BaseDeps } from '../base-deps.ts';
import { CLICKS, OPENS } from './tracking-limits.ts';
import { findDeviceReader, recordEngagement, type Engagement } from './record-engagement.ts';
import {
  openToken,
  TOKEN_CHARS_MAX,
  trackingCredential,
  type TrackedNotification,
} from './tracking-token.ts';

const tokenQuery = z.strictObject({ token: z.string().max(TOKEN_CHARS_MAX) });
const beaconQuery = tokenQuery.extend({
  event: z.enum(['clicked', 'dismissed']),
  device: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits')
    .optional()
    .describe('SHA-256 of the endpoint of the subscription, to count each device once'),
});

/** The smallest GIF: one transparent pixel. */
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

/** Well-behaved programs announce that they prefetch a link. */
const PREFETCH = /\b(prefetch|preview|prerender)/i;

interface TrackingRequest {
  readonly isHead: boolean;
  header(name: string): string | undefined;
}

function isPrefetched({ header }: TrackingRequest): boolean {
  const purpose = ['sec-purpose', 'purpose'].map((name) => header(name) ?? '');
  return PREFETCH.test(purpose.join(' '));
}

export function trackingEndpoints(deps: BaseDeps): Endpoint[] {
  /** A failure to record must not keep a reader from the link's target. */
  const record = (engaged: Engagement): Promise<void> =>
    ignoreFailure(recordEngagement(deps, engaged), 'an open or a click is not recorded', deps.log);
  const toMailEngagement = ({ organizationId, notificationId }: TrackedNotification) =>
    ({ organizationId, notificationId, channel: 'email' }) as const;
  return [
    get(
      '/track/open',
      {
        operationId: 'trackOpen',
        summary: 'The picture of a tracked mail; records an open. HEAD records nothing',
        scope: 'read',
        query: tokenQuery,
        replies: { 200: z.string().meta({ format: 'binary' }) },
        produces: ['image/gif'],
        reads: ['Sec-Purpose', 'Purpose'],
        credential: trackingCredential(deps, 'open'),
        limitClass: OPENS,
      },
      async (input) => {
        const tracked = await openToken(deps, 'open', input.query.token);
        if (!input.isHead && !isPrefetched(input))
          await record({ ...toMailEngagement(tracked), event: 'opened' });
        return new Reply(PIXEL, { headers: { 'content-type': 'image/gif' } });
      },
    ),
    get(
      '/track/click',
      {
        operationId: 'trackClick',
        summary:
          'A tracked link of a mail; records a click and redirects. HEAD records nothing, a prefetch gets no redirect',
        scope: 'read',
        query: tokenQuery,
        replies: { 204: null, 302: null },
        reads: ['Sec-Purpose', 'Purpose'],
        sends: ['Location', 'Referrer-Policy'],
        credential: trackingCredential(deps, 'link'),
        limitClass: CLICKS,
      },
      async (input) => {
        const tracked = await openToken(deps, 'link', input.query.token);
        // A browser must not cache an answer that it would later show without asking again.
        if (isPrefetched(input)) return undefined;
        if (!input.isHead) await record({ ...toMailEngagement(tracked), event: 'clicked' });
        // The token in the address must not reach the target as a referrer.
        const headers = { location: tracked.target!, 'referrer-policy': 'no-referrer' };
        return new Reply(undefined, { status: 302, headers });
      },
    ),
    ...(deps.push === null
      ? []
      : [
          post(
            '/push/beacon',
            {
              operationId: 'takePushBeacon',
              summary:
                'Report that a tracked push was clicked or dismissed. Called by a service worker with the address from the push',
              scope: 'write',
              query: beaconQuery,
              replies: { 204: null },
              credential: trackingCredential(deps, 'push'),
              limitClass: CLICKS,
            },
            async ({ query: { token, event, device } }) => {
              const tracked = await openToken(deps, 'push', token);
              const reader = findDeviceReader(deps, tracked.organizationId, device);
              const recorded = reader.then((known) =>
                recordEngagement(deps, { ...tracked, channel: 'web_push', event, reader: known }),
              );
              await ignoreFailure(recorded, 'a click is not recorded', deps.log);
            },
          ),
        ]),
  ];
}
