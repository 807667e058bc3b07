// Counts the bytes of a text in JSON and UTF-8 without writing it.

const plain = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

/** Its quotes included. */
export function jsonBytesOfText(text: string): number {
  if (plain.test(text)) return text.length + 2;
  let bytes = 2;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x20) bytes += 6;
    else if (unit === 0x22 || unit === 0x5c) bytes += 2;
    else if (unit < 0x80) bytes += 1;
    else bytes += unit < 0x800 ? 2 : 3; // half a surrogate pair takes two: three are never too few
  }
  return bytes;
}

/** Of the text itself, without quotes. */
export function utf8Bytes(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    // Half a surrogate pair takes two, both together four.
    if (unit >= 0x80) bytes += unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 1 : 2;
  }
  return bytes;
}
