// Completes a correction: "December 3rd, no, the 4th". Facts of the first part that the second
// leaves open stay, if that is certain.
import type { Clock, MomentPiece } from './pieces.ts';

/**
 * The pieces of a correction, completed from the corrected ones; null when their meaning is
 * uncertain.
 */
export function putRight(
  pieces: readonly MomentPiece[],
  earlier: readonly MomentPiece[] | null,
): readonly MomentPiece[] | null {
  if (earlier === null || earlier.length === 0) return pieces;
  const date = earlier.find((piece) => piece.kind === 'date' || piece.kind === 'monthDay');
  const clock = earlier.find((piece) => piece.kind === 'clock');
  const part = earlier.find((piece) => piece.kind === 'part');
  const isPlaced = earlier.some(
    (piece) => piece.kind === 'week' || (piece.kind === 'weekday' && piece.which !== 'coming'),
  );
  const right: MomentPiece[] = [];
  for (const piece of pieces) {
    if (piece.kind === 'weekday' && piece.which === 'coming' && isPlaced) return null;
    if (piece.kind === 'date' && piece.month === null && date !== undefined)
      right.push({ ...date, day: piece.day });
    else if (piece.kind === 'clock' && isOpen(piece, pieces) && clock !== undefined) {
      const inherited = completed(piece, clock, part);
      if (inherited === null) return null;
      right.push(inherited);
    } else right.push(piece);
  }
  return right;
}

const isOpen = (clock: Clock, pieces: readonly MomentPiece[]): boolean =>
  clock.bare && clock.part === null && clock.hour <= 12 && !pieces.some(({ kind }) => kind === 'part');

function completed(
  open: Clock,
  earlier: Clock,
  part: Extract<MomentPiece, { kind: 'part' }> | undefined,
): Clock | null {
  const said = earlier.part ?? part?.part ?? null;
  if (said !== null) return { ...open, part: said };
  return earlier.bare && earlier.hour <= 12 ? open : null;
}
