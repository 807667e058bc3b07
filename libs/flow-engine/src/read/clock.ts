// What a turn knows of the time, as flows read it: in the bag's own `timezone`, like the casts.
import { weekdays } from '../define/engine-variables.ts';
import type { Lookup, Scope } from './paths.ts';
import { isoWithOffset, zoneOffset } from '@parley/answers';

/** What telling the time takes, in characters looked at: a format of Intl. */
const clockChars = 400;
/** Years of four digits, as ISO 8601 and everybody's clock have them; wherever the zone is. */
const nowMsMin = Date.UTC(1, 0);
const nowMsMax = Date.UTC(9999, 11, 31);

/** Now, with the offset of the zone; null when the clock of the turn is none. */
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
