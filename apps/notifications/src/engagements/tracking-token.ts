// Tokens in tracked links, pictures and push beacons, signed with DATA_KEY. A token has one use,
// names one notification and expires after a year. Its holder can report this event and nothing
// else.
import { z } from 'zod';
import { AppError } from '@parley/envelopes';
import type { OwnCredential } from '@parley/server/http';
import type { BaseDeps } from '../base-deps.ts';
import { readSignedText, signedText } from '../callers/signed-text.ts';

/** Links redirect for this long, even after the notification is deleted. */
const VALID_MS = 365 * 24 * 60 * 60_000;
/** Longer links are not rewritten: their token would be too long for an address. */
export const TARGET_CHARS_MAX = 2_048;
/** Fits the longest target in base64url after an organisation id of any characters. */
export const TOKEN_CHARS_MAX = 8_192;
const CONTEXT = 'tracking';

/** Why a channel is omitted. */
export const NOT_TRACKED = 'no PUBLIC_URL, which tracking needs';

const ids = [z.string().max(255), z.string().max(64), z.int()] as const;
const parts = z.union([
  z.tuple([z.enum(['open', 'push']), ...ids]),
  z.tuple([z.literal('link'), ...ids, z.url({ protocol: /^https?$/ }).max(TARGET_CHARS_MAX)]),
]);

export type TrackingUse = z.output<typeof parts>[0];

/** The notification that the event belongs to. */
export interface TrackedNotification {
  readonly organizationId: string;
  readonly notificationId: string;
}

interface SentNotification extends TrackedNotification {
  /** The send time. Equal for all attempts, so their tokens are equal too. */
  readonly sentAt: Date;
}

export type MakeToken = (use: TrackingUse, target?: string) => string;

export async function createTokens(
  { dataSealer }: Pick<BaseDeps, 'dataSealer'>,
  { organizationId, notificationId, sentAt }: SentNotification,
): Promise<MakeToken> {
  const { sign } = await dataSealer.signer(CONTEXT);
  const until = Math.floor((sentAt.getTime() + VALID_MS) / 1000);
  return (use, ...target) => signedText([use, organizationId, notificationId, until, ...target], sign);
}

/** @throws AppError unauthorized when the token is invalid, has another use or is expired. */
export async function openToken(
  { dataSealer, clock }: Pick<BaseDeps, 'dataSealer' | 'clock'>,
  use: TrackingUse,
  token: string,
): Promise<TrackedNotification & { readonly target: string | undefined }> {
  const signed = readSignedText(token, TOKEN_CHARS_MAX);
  const { isSigned } = await dataSealer.signer(CONTEXT);
  const read = signed && isSigned(signed.text, signed.signature) && parts.safeParse(signed.parts).data;
  if (!read || read[0] !== use || clock() >= read[3] * 1000)
    throw new AppError('unauthorized', 'the token is invalid or expired');
  const [, organizationId, notificationId, , target] = read;
  return { organizationId, notificationId, target };
}

/** Accepts `?token=` instead of a Bearer credential. */
export function trackingCredential(
  deps: Pick<BaseDeps, 'dataSealer' | 'clock'>,
  use: TrackingUse,
): OwnCredential {
  return {
    scheme: {
      name: 'trackingToken',
      in: 'query',
      parameter: 'token',
      description: 'The token in a mail or a push.',
    },
    orBearer: false,
    verify: async ({ query: { token } }) => {
      const { organizationId } = await openToken(deps, use, typeof token === 'string' ? token : '');
      return {
        organizationId,
        kind: 'signature',
        principal: 'tracking token',
        scopes: new Set(['read', 'write'] as const),
      };
    },
  };
}
