// Times of day of a base language: an hour in digits with minutes, or with CLDR's word for a part
// of the day.
import type { MomentPiece } from '../moment/pieces.ts';
import type { BaseLanguage } from './base-language.ts';

/** The time in a folded text; null when there is none, or several. */
export function readBaseClock(text: string, { dayPeriods, timeParticles }: BaseLanguage): MomentPiece | null {
  for (const [name, hours] of dayPeriods) {
    const rest = text.startsWith(name)
      ? text.slice(name.length)
      : text.endsWith(name)
        ? text.slice(0, -name.length)
        : null;
    const clock = rest === null ? null : readDigits(rest, timeParticles);
    if (clock === null) continue;
    const meant = hours.filter(
      (hour) => hour === clock.hour || (clock.hour <= 12 && hour % 12 === clock.hour % 12),
    );
    return meant.length === 1 ? asPiece(meant[0]!, clock.minute ?? 0) : null;
  }
  const clock = readDigits(text, timeParticles);
  return clock?.minute == null ? null : asPiece(clock.hour, clock.minute);
}

/** "15 30", "15時30": marks between digits are blanks in folded texts. */
function readDigits(
  text: string,
  particles: readonly string[],
): { readonly hour: number; readonly minute: number | null } | null {
  let plain = text;
  for (const particle of particles) plain = plain.replace(particle, ' ');
  const parts = /^ ?(\d{1,2})(?: (\d{2}))? ?$/.exec(plain);
  if (parts === null) return null;
  const [hour, minute] = [Number(parts[1]), parts[2] === undefined ? null : Number(parts[2])];
  return hour > 23 || (minute ?? 0) > 59 ? null : { hour, minute };
}

const asPiece = (hour: number, minute: number): MomentPiece => ({
  kind: 'clock',
  hour,
  minute,
  second: null,
  bare: false,
  alone: false,
  settled: true,
  part: null,
});
