// Computes names from their content.
import { toJson } from '@parley/answers/readings';

/**
 * Sixteen hexadecimal digits, the same for the same parts: FNV-1a (RFC 9923) of 64 bits over UTF-16
 * units. Not a secure hash.
 */
export function stableHash(parts: readonly (string | number | null)[]): string {
  let hash = 0xcbf29ce484222325n;
  const text = toJson(parts);
  for (let at = 0; at < text.length; at++)
    hash = BigInt.asUintN(64, (hash ^ BigInt(text.charCodeAt(at))) * 0x100000001b3n);
  return hash.toString(16).padStart(16, '0');
}
