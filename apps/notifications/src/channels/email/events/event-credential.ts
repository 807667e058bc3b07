// The credential of a mail provider's event webhook: what the provider signs or presents, checked
// with a setting of the organisation. Every refusal has the same answer.
import { createRefusals } from '@parley/auth';
import { AppError } from '@parley/envelopes';
import type { OwnCredential } from '@parley/server/http';
import { SecretUnavailable } from '@parley/server/runtime';
import type { SecretKey } from '@parley/server/organizations';
import type { BaseDeps } from '../../../base-deps.ts';
import type { EventProviderName } from '../mail-provider.ts';

const ORGANIZATION_CHARACTERS_MAX = 255;

export interface Presented {
  header(name: string): string | undefined;
  readonly body: Buffer;
  readonly nowMs: number;
}

export interface EventCredential {
  readonly provider: EventProviderName;
  readonly scheme: OwnCredential['scheme'];
  /** What requests are checked with. */
  readonly setting: SecretKey | 'ses_topic_arn';
  /** A setting that nobody has, so that an organisation without one costs the same time. */
  readonly placeholder: string;
  verify(setting: string, presented: Presented): boolean | Promise<boolean>;
}

type CredentialDeps = Pick<BaseDeps, 'settings' | 'clock'>;

export function eventCredential(deps: CredentialDeps, given: EventCredential): OwnCredential {
  const refusals = createRefusals('too many requests without a valid signature from this address');
  return {
    scheme: given.scheme,
    orBearer: false,
    verify: async ({ params, header, address, rawBody }) => {
      const organizationId = String(params['organization_id']);
      // Organisations share a provider's addresses.
      const counted = `${address} ${organizationId}`;
      await refusals.check(counted);
      const body = await rawBody();
      const setting = await loadSetting(deps, organizationId, given.setting);
      const presented = { header, body, nowMs: deps.clock() };
      const isValid = await given.verify(setting ?? given.placeholder, presented);
      if (!isValid || setting === undefined) {
        // counts only existing organisations, since a caller can invent names
        if (setting !== undefined) await refusals.count(counted);
        throw new AppError('unauthorized', 'a valid signature of the mail provider is required');
      }
      return {
        organizationId,
        kind: 'signature',
        principal: given.provider,
        scopes: new Set(['write'] as const),
      };
    },
  };
}

/** @throws AppError unavailable */
async function loadSetting(
  { settings }: CredentialDeps,
  organizationId: string,
  key: EventCredential['setting'],
): Promise<string | undefined> {
  if (organizationId.length > ORGANIZATION_CHARACTERS_MAX || organizationId.includes('\0')) return undefined;
  try {
    if (key === 'ses_topic_arn') return await settings.get(organizationId, key);
    return (await settings.get(organizationId, key))?.reveal().trim();
  } catch (error) {
    if (!(error instanceof SecretUnavailable)) throw error;
    throw new AppError('unavailable', 'the key cannot be read at the moment', {
      headers: { 'retry-after': '60' },
      cause: error,
    });
  }
}

/** Providers repeat unanswered events for up to 24 hours; their clocks may be ahead of ours. */
export const REPEATS_MS = 24 * 60 * 60_000;
const AHEAD_MS = 5 * 60_000;

/** A replay in this time changes nothing, since event ids are stored for longer. */
export function isFresh(signedAtMs: number, nowMs: number, repeatsMs = REPEATS_MS): boolean {
  return nowMs - signedAtMs <= repeatsMs && signedAtMs - nowMs <= AHEAD_MS;
}
