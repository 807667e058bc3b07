// Positions on the wire: `<epoch>.<position>`, without an epoch before the first one was raised
// (docs/platform.md#epochs). Pure.

/**
 * When each epoch of this database was raised (epoch ms), by number. The time identifies an epoch:
 * a database that is put back to before it and raises another gives the number again.
 */
export type Epochs = readonly number[];

/** A position as a client sent it. */
export interface ClientPosition {
  /** When the epoch that issued it was raised; 0: none was. */
  readonly raisedAtMs: number;
  readonly position: bigint;
}

/** The epoch number is above the transaction id, which has fewer bits: older epochs sort before. */
const TRANSACTION_BITS = 48n;
const POSITION_MAX = 2n ** 63n - 1n;
const POSITION = /^(?:([1-9]\d{12})\.)?(0|[1-9]\d{0,18})$/;

/** The first position of an epoch. */
export const beginEpoch = (number: number): bigint => BigInt(number) << TRANSACTION_BITS;

/** The position in a text; null when it is invalid. */
export function parsePosition(text: string): ClientPosition | null {
  const [, raisedAtMs, digits] = POSITION.exec(text) ?? [];
  if (digits === undefined) return null;
  const position = BigInt(digits);
  return position <= POSITION_MAX ? { raisedAtMs: Number(raisedAtMs ?? 0), position } : null;
}

export function formatPosition(epochs: Epochs, position: bigint): string {
  const raisedAtMs = epochs.at(-1)!;
  return raisedAtMs === 0 ? String(position) : `${raisedAtMs}.${position}`;
}

/** Issued by the current epoch: it can be read from. */
export const isCurrent = (epochs: Epochs, given: ClientPosition): boolean =>
  given.raisedAtMs === epochs.at(-1);

/**
 * Where a client with a position of another epoch goes on, so that it skips nothing it has not
 * seen. An epoch of this database: from the position, since later epochs follow it. Any other began
 * after our newest older one; some of that may be unknown to the client, so it repeats all of it.
 */
export function continuePosition(epochs: Epochs, { raisedAtMs, position }: ClientPosition): bigint {
  const number = Math.max(
    0,
    epochs.findLastIndex((ours) => ours <= raisedAtMs),
  );
  const isOurs = epochs[number] === raisedAtMs;
  const latest = beginEpoch(isOurs ? number + 1 : number);
  return position < latest ? position : latest;
}
