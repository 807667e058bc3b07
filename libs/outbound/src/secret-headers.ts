// `secret://<name>` as the value of a header is a secret of the organisation, read at the moment of sending: it stands in no
// definition, queue or row (docs/platform.md#secrets).
import type { Log, Secrets } from '@parley/runtime';
import type { Call } from './call.ts';

const SCHEME = 'secret://';
const NAME = /^[A-Za-z0-9_-]{1,64}$/;
/** An organisation whose id could mean another place (`..`, `a/b`) has no secrets. */
const ORGANIZATION = /^(?!\.)[A-Za-z0-9._-]{1,128}$/;

/** What a reference names; null where it is not the name of a secret. */
export function secretNameOf(reference: string): string | null {
  const name = reference.slice(SCHEME.length);
  return NAME.test(name) ? name : null;
}

/** Where secrets of organisations are: a reference with places for the organisation and the name, each on its own between separators. */
export const SECRETS_PLACE =
  /^(file:\/\/\/([^#{}]+\/)?\{organization\}\/\{name\}|vault:\/\/[^/#{}]+\/([^#{}]+\/)?\{organization\}#\{name\})$/;

export function isSecretReference(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith(SCHEME);
}

export interface HeaderSecrets {
  readonly secrets: Pick<Secrets, 'resolve'>;
  /** As SECRETS_PLACE; without it there are none. */
  readonly place: string | undefined;
}

export function namesSecrets({ secretsOf, headers }: Call): boolean {
  return secretsOf !== undefined && headers !== undefined && Object.values(headers).some(isSecretReference);
}

/** The headers of a call as they are sent; null when one of its secrets cannot be read. */
export async function withSecrets(
  { secrets, place = '' }: Partial<HeaderSecrets> = {},
  log: Log,
  { secretsOf = '', headers = {} }: Call,
): Promise<Readonly<Record<string, string>> | null> {
  const sent: Record<string, string> = { ...headers };
  for (const [header, value] of Object.entries(headers)) {
    if (!isSecretReference(value)) continue;
    const name = secretNameOf(value);
    if (secrets === undefined || name === null || !ORGANIZATION.test(secretsOf)) return null;
    try {
      const reference = place.replace('{organization}', secretsOf).replace('{name}', name);
      sent[header] = (await secrets.resolve(reference)).reveal();
    } catch (error) {
      log.warn({ err: error, organization_id: secretsOf }, 'outbound.secret_unavailable');
      return null;
    }
  }
  return sent;
}
