/** @throws Error when the body is longer; the rest is not read. */
export async function readBounded(response: Response, bytesMax: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += piece.length;
    if (bytes > bytesMax) throw new Error(`the answer is longer than ${bytesMax} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
