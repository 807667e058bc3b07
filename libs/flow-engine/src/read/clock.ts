// The current time as flows read it: in the variable `timezone`, like the casts.
import { weekdays } from '../define/engine-variables.ts';
import type { Lookup, Scope } from './paths.ts';
import { isoWithOffset, zoneOffset } from '@parley/answers';

/** Cost of one Intl format, in characters. */
const clockChars = 400;
/** ISO 8601 years have four digits, in every time zone. */
const nowMsMin = Date.UTC(1, 0);
const nowMsMax = Date.UTC(9999, 11, 31);

/** Now, with the offset of the zone; null when the clock of the turn is out of range. */
function tellTime({ variables, turn, budget }: Scope): string | null {
  budget.text(clockChars);
  if (!(turn.nowMs >= nowMsMin && turn.nowMs <= nowMsMax)) return null;
  return isoWithOffset(turn.nowMs, zoneOffset(variables['timezone']));
}

export const readNow: Lookup = tellTime;

export const readToday: Lookup = (scope) => tellTime(scope)?.slice(0, '2026-11-20'.length);

export const readWeekday: Lookup = (scope) => {
  const today = readToday(scope);
  return typeof today === 'string' ? weekdays[new Date(today).getUTCDay()] : undefined;
};
