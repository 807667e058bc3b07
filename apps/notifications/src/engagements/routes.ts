// Where links and pictures of mails and the beacons of pushes lead (docs/notifications.md#opens-and-clicks). They are public, but for
// their token: what they answer is the same whether something was recorded, was known already, or is no more.
import { z } from 'zod';
import { get, post, Reply, type Endpoint } from '@parley/http';
import { ignoreFailure } from '@parley/runtime';
import type { Deps } from '../deps.ts';
import { CLICKS, OPENS } from './tracking-limits.ts';
import { deviceAsReader, recordEngagement, type Engaged } from './record-engagement.ts';
import { openToken, TOKEN_CHARS_MAX, trackingCredential, type Tracked } from './tracking-token.ts';

const tokenQuery = z.strictObject({ token: z.string().max(TOKEN_CHARS_MAX) });
const beaconQuery = tokenQuery.extend({
  event: z.enum(['clicked', 'dismissed']),
  device: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits')
    .optional()
    .describe('SHA-256 of the endpoint of the subscription: each device counts once'),
});

/** The smallest GIF: one transparent pixel. */
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

/** Programs that look at a link before its reader does say so, the well-behaved ones. */
const PREFETCH = /\b(prefetch|preview|prerender)/i;

interface Asked {
  readonly isHead: boolean;
  header(name: string): string | undefined;
}

function isPrefetched({ header }: Asked): boolean {
  const purpose = ['sec-purpose', 'purpose'].map((name) => header(name) ?? '');
  return PREFETCH.test(purpose.join(' '));
}

export function trackingEndpoints(deps: Deps): Endpoint[] {
  /** What cannot be written down keeps nobody from what the link leads to. */
  const record = (engaged: Engaged): Promise<void> =>
    ignoreFailure(recordEngagement(deps, engaged), 'an open or a click is not recorded', deps.log);
  const ofMail = ({ organizationId, notificationId }: Tracked) =>
    ({ organizationId, notificationId, channel: 'email' }) as const;
  return [
    get(
      '/track/open',
      {
        operationId: 'trackOpen',
        summary: 'The picture of a mail that is tracked: it was opened. HEAD counts nothing',
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
        if (!input.isHead && !isPrefetched(input)) await record({ ...ofMail(tracked), event: 'opened' });
        return new Reply(PIXEL, { headers: { 'content-type': 'image/gif' } });
      },
    ),
    get(
      '/track/click',
      {
        operationId: 'trackClick',
        summary:
          'A link of a mail that is tracked: it was clicked, and leads on. HEAD counts nothing, a prefetch is given nothing',
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
        // Nothing that a browser could show without asking again when its reader does click.
        if (isPrefetched(input)) return undefined;
        if (!input.isHead) await record({ ...ofMail(tracked), event: 'clicked' });
        // The address is a credential of a kind, and is none of the target's business.
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
                'A push that is tracked was clicked or dismissed. Of a service worker, with the address that the push brought along',
              scope: 'write',
              query: beaconQuery,
              replies: { 204: null },
              credential: trackingCredential(deps, 'push'),
              limitClass: CLICKS,
            },
            async ({ query: { token, event, device } }) => {
              const tracked = await openToken(deps, 'push', token);
              const reader = deviceAsReader(deps, tracked.organizationId, device);
              const recorded = reader.then((known) =>
                recordEngagement(deps, { ...tracked, channel: 'web_push', event, reader: known }),
              );
              await ignoreFailure(recorded, 'a click is not recorded', deps.log);
            },
          ),
        ]),
  ];
}
