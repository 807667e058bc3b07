// The tokens of what is tracked: in the links and the picture of a mail, and in the beacon of a push. Each says what it is for, names one
// notification, ends a year after it, and is signed with DATA_KEY: whoever has one can say that this happened, and nothing else.
import { z } from 'zod';
import { AppError } from '@parley/envelopes';
import type { OwnCredential } from '@parley/http';
import type { Deps } from '../deps.ts';
import { readSignedText, signedText } from '../signed-text.ts';

/** Links in a mail lead on for so long, whatever became of the notification. */
const GOOD_FOR_MS = 365 * 24 * 60 * 60_000;
/** A link that is longer than this is not rewritten (track-links.ts): its token would be too long for an address. */
export const TARGET_CHARS_MAX = 2_048;
/** A target in base64url with what stands before it, where the id of an organisation may be of any characters. */
export const TOKEN_CHARS_MAX = 8_192;
const CONTEXT = 'tracking';

/** Why a channel is left out. */
export const NOT_TRACKED = 'no NOTIFICATIONS_PUBLIC_URL, and what is tracked leads there';

const ids = [z.string().max(255), z.string().max(64), z.int()] as const;
const parts = z.union([
  z.tuple([z.enum(['open', 'push']), ...ids]),
  z.tuple([z.literal('link'), ...ids, z.url({ protocol: /^https?$/ }).max(TARGET_CHARS_MAX)]),
]);

export type TrackingUse = z.output<typeof parts>[0];

/** Of which notification. */
export interface Tracked {
  readonly organizationId: string;
  readonly notificationId: string;
}

interface Sent extends Tracked {
  /** When it goes out: the same at every attempt, and so is the token. */
  readonly sentAt: Date;
}

export type MakeToken = (use: TrackingUse, target?: string) => string;

export async function tokensOf(
  { dataSealer }: Pick<Deps, 'dataSealer'>,
  { organizationId, notificationId, sentAt }: Sent,
): Promise<MakeToken> {
  const { sign } = await dataSealer.signer(CONTEXT);
  const until = Math.floor((sentAt.getTime() + GOOD_FOR_MS) / 1000);
  return (use, ...target) => signedText([use, organizationId, notificationId, until, ...target], sign);
}

/** @throws AppError unauthorized: it is none of ours, it is for something else, or its year is over. */
export async function openToken(
  { dataSealer, clock }: Pick<Deps, 'dataSealer' | 'clock'>,
  use: TrackingUse,
  token: string,
): Promise<Tracked & { readonly target: string | undefined }> {
  const signed = readSignedText(token, TOKEN_CHARS_MAX);
  const { isSigned } = await dataSealer.signer(CONTEXT);
  const read = signed && isSigned(signed.text, signed.signature) && parts.safeParse(signed.parts).data;
  if (!read || read[0] !== use || clock() >= read[3] * 1000)
    throw new AppError('unauthorized', 'the token is not valid any more');
  const [, organizationId, notificationId, , target] = read;
  return { organizationId, notificationId, target };
}

/** `?token=` in the place of a Bearer credential. */
export function trackingCredential(
  deps: Pick<Deps, 'dataSealer' | 'clock'>,
  use: TrackingUse,
): OwnCredential {
  return {
    scheme: {
      name: 'trackingToken',
      in: 'query',
      parameter: 'token',
      description: 'What a mail or a push brought along.',
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
