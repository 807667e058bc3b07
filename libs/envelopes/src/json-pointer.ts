// How a place in a JSON document is named in every refusal.

/** A path as a JSON pointer (RFC 6901): `~` and `/` inside a member's name are written `~0` and `~1`. */
export function jsonPointer(path: readonly PropertyKey[]): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
