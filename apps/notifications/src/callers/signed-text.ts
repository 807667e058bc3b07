// Signed tokens in addresses: parts as base64url JSON, a dot, and their signature.

const SIGNED = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{43})$/;

export interface SignedText {
  /** The signed text. */
  readonly text: string;
  readonly signature: string;
  /** Do not trust before the signature is verified. */
  readonly parts: unknown;
}

export function signedText(parts: readonly unknown[], sign: (text: string) => string): string {
  const text = Buffer.from(JSON.stringify(parts)).toString('base64url');
  return `${text}.${sign(text)}`;
}

/** Null when `given` has another form. */
export function readSignedText(given: string, charactersMax: number): SignedText | null {
  const [, text, signature] = (given.length <= charactersMax && SIGNED.exec(given)) || [];
  if (text === undefined || signature === undefined) return null;
  try {
    const parts = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as unknown;
    return { text, signature, parts };
  } catch {
    return null; // not JSON
  }
}
