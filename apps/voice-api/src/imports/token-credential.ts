// The credential of a vendor: an import token in the path and, if the token has a secret, the
// vendor's signature over the raw body (docs/voice-api.md#import-tokens).
import { createRefusals } from '@parley/auth';
import { AppError } from '@parley/envelopes';
import type { CredentialSource, OwnCredential } from '@parley/server/http';
import { isSecretReference, resolveOwnSecret } from '@parley/outbound';
import { importTokenContext } from '@parley/server/sealed-columns';
import type { Deps } from './deps.ts';
import { findImportToken, type FoundToken } from './import-tokens.ts';
import { VERIFIERS } from './signatures.ts';
import type { Source } from './sources.ts';

type CredentialDeps = Pick<Deps, 'sql' | 'clock' | 'dataSealer' | 'secrets' | 'log' | 'config'>;

/** Reads the body only after the token was found, so strangers send nothing but headers. */
export function importTokenCredential(deps: CredentialDeps, source: Source): OwnCredential {
  const refusals = createRefusals('too many refused credentials from this address');
  return {
    scheme: null,
    orBearer: false,
    verify: async (presented) => {
      await refusals.check(presented.address);
      const token = await findImportToken(deps, source, String(presented.params['import_token']));
      if (!token || !(await isSigned(deps, source, token, presented))) {
        await refusals.count(presented.address);
        // One message for every reason, which tells an attacker nothing.
        throw new AppError(
          'unauthorized',
          'a valid import token is needed in the path, and the signature of the vendor if the token has a secret',
        );
      }
      return {
        organizationId: token.organizationId,
        kind: 'signature',
        principal: token.id,
        scopes: new Set(['write'] as const),
      };
    },
  };
}

async function isSigned(
  deps: CredentialDeps,
  source: Source,
  { id, organizationId, secret: sealed }: FoundToken,
  { header, rawBody }: CredentialSource,
): Promise<boolean> {
  if (sealed === null) return true;
  const stored = await deps.dataSealer.unseal(sealed, importTokenContext({ organizationId, id }));
  const place = { secrets: deps.secrets, place: deps.config.FLOW_SECRETS };
  const secret = isSecretReference(stored)
    ? await resolveOwnSecret(place, deps.log, organizationId, stored)
    : stored;
  if (secret === null)
    throw new AppError('unavailable', 'The secret of the import token cannot be read now. Try again later.', {
      headers: { 'retry-after': '60' },
    });
  return VERIFIERS[source]({ body: await rawBody(), header, secret, nowMs: deps.clock() });
}
