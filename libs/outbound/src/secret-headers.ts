// Resolves header values `secret://<name>` when a request is sent, so that no definition, queue or
// row holds the secret (docs/platform.md#secrets).
import type { Log, Secrets } from '@parley/server/runtime';
import type { Call } from './call.ts';

const SCHEME = 'secret://';
const NAME = /^[A-Za-z0-9_-]{1,64}$/;
/** An organisation whose id could mean another place (`..`, `a/b`) has no secrets. */
const ORGANIZATION = /^(?!\.)[A-Za-z0-9._-]{1,128}$/;

/** The name in a reference; null for an invalid one. */
export function parseSecretName(reference: string): string | null {
  const name = reference.slice(SCHEME.length);
  return NAME.test(name) ? name : null;
}

/** A reference with placeholders for organisation and name, each alone between separators. */
export const SECRETS_PLACE =
  /^(file:\/\/\/([^#{}]+\/)?\{organization\}\/\{name\}|vault:\/\/[^/#{}]+\/([^#{}]+\/)?\{organization\}#\{name\})$/;

export function isSecretReference(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith(SCHEME);
}

export interface HeaderSecrets {
  readonly secrets: Pick<Secrets, 'resolve'>;
  /** As SECRETS_PLACE. Default: there are no secrets. */
  readonly place: string | undefined;
}

export function namesSecrets({ secretsOf, headers }: Call): boolean {
  return secretsOf !== undefined && headers !== undefined && Object.values(headers).some(isSecretReference);
}

/** The secret of an organisation that a reference names; null when it cannot be read. */
export async function resolveOwnSecret(
  { secrets, place = '' }: Partial<HeaderSecrets>,
  log: Log,
  organizationId: string,
  reference: string,
): Promise<string | null> {
  const name = parseSecretName(reference);
  if (secrets === undefined || name === null || !ORGANIZATION.test(organizationId)) return null;
  try {
    const stored = place.replace('{organization}', organizationId).replace('{name}', name);
    return (await secrets.resolve(stored)).reveal();
  } catch (error) {
    log.warn({ err: error, organization_id: organizationId }, 'outbound.secret_unavailable');
    return null;
  }
}

/** The headers to send; null when one of the secrets cannot be read. */
export async function resolveSecretHeaders(
  headerSecrets: Partial<HeaderSecrets> = {},
  log: Log,
  { secretsOf = '', headers = {} }: Call,
): Promise<Readonly<Record<string, string>> | null> {
  const sent: Record<string, string> = { ...headers };
  for (const [header, value] of Object.entries(headers)) {
    if (!isSecretReference(value)) continue;
    const secret = await resolveOwnSecret(headerSecrets, log, secretsOf, value);
    if (secret === null) return null;
    sent[header] = secret;
  }
  return sent;
}
