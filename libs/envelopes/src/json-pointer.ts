/** A path as a JSON pointer (RFC 6901): `~` and `/` in a member's name become `~0` and `~1`. */
export function jsonPointer(path: readonly PropertyKey[]): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
