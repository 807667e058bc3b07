// Variable-length integers: seven bits a byte, least significant first; the eighth bit says that
// more follow (as in protocol buffers). The binary columns of rollups consist of these.

export class VarintWriter {
  #bytes = Buffer.allocUnsafe(256);
  #length = 0;

  /** @param value an integer from 0 to 2^53 - 1 */
  write(value: number): void {
    if (!Number.isSafeInteger(value) || value < 0)
      throw new Error(`not an integer that can be stored: ${value}`);
    if (this.#length + 8 > this.#bytes.length) this.#grow();
    let rest = value;
    // Division, because shifts would drop bits above the 32nd.
    while (rest > 127) {
      this.#bytes[this.#length++] = (rest % 128) + 128;
      rest = Math.floor(rest / 128);
    }
    this.#bytes[this.#length++] = rest;
  }

  bytes(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, this.#length));
  }

  #grow(): void {
    const grown = Buffer.allocUnsafe(this.#bytes.length * 2);
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}

/** @throws Error when the bytes end in the middle of a number */
export class VarintReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get done(): boolean {
    return this.#at >= this.#bytes.length;
  }

  read(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new Error('a row of numbers ends in the middle of one');
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  }
}

/** Maps signed integers to small unsigned ones: 0, -1, 1, -2 … become 0, 1, 2, 3 … */
export function zigzag(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value;
}

export function unzigzag(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}
