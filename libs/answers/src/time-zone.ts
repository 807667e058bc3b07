// Wall clocks and instants in a named time zone, over Intl.

/** The offset of a zone at an instant (epoch ms), in minutes east of UTC. */
export type ZoneOffset = (instantMs: number) => number;

const utc: ZoneOffset = () => 0;

/**
 * The zone of an IANA name ("Europe/Berlin") or a fixed offset ("+02:00"). What is neither is UTC.
 */
export function zoneOffset(timezone: unknown): ZoneOffset {
  if (typeof timezone !== 'string') return utc;
  const fixed = /^([+-])(\d{2}):?(\d{2})$/.exec(timezone.trim());
  if (fixed !== null) {
    const minutes = toMinutes(fixed[1], fixed[2], fixed[3]);
    return () => minutes;
  }
  return namedZone(timezone.trim());
}

const zones = new Map<string, ZoneOffset>();
/** Making a formatter takes about 50 µs. Zones are few, but a caller may send any name. */
const zonesMax = 500;

/** Longer than any name of a zone: such a text is not cached. */
const zoneCharsMax = 64;

function namedZone(name: string): ZoneOffset {
  // A Node may take more offsets than are documented, `+02` for one, and another Node refuse them.
  if (name.length > zoneCharsMax || !/^[a-z]/i.test(name)) return utc;
  let zone = zones.get(name);
  if (zone === undefined) {
    if (zones.size >= zonesMax) zones.clear();
    zones.set(name, (zone = makeZone(name)));
  }
  return zone;
}

function makeZone(timeZone: string): ZoneOffset {
  try {
    const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
    return (instantMs) => readLongOffset(format.format(instantMs));
  } catch {
    return utc; // a name that Intl does not know
  }
}

/** Reads the end of "11/20/2026, GMT+05:30". */
function readLongOffset(formatted: string): number {
  const parts = /GMT([+-])(\d{2}):(\d{2})/.exec(formatted);
  return parts === null ? 0 : toMinutes(parts[1], parts[2], parts[3]);
}

function toMinutes(sign: string | undefined, hours: string | undefined, minutes: string | undefined): number {
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

/** The instant of a local time in the zone (given as if it were UTC). */
export function instantOfWall(wallMs: number, zone: ZoneOffset): number {
  const guess = wallMs - zone(wallMs) * 60_000;
  // The first offset was computed at the wrong instant; the second is right except inside the hour
  // that a clock change skips.
  return wallMs - zone(guess) * 60_000;
}

/** `2026-11-20T17:00:00+01:00`; UTC is written Z. */
export function isoWithOffset(instantMs: number, zone: ZoneOffset): string {
  const offset = zone(instantMs);
  const wall = new Date(instantMs + offset * 60_000).toISOString().slice(0, 19);
  if (offset === 0) return `${wall}Z`;
  const [hours, minutes] = [Math.trunc(Math.abs(offset) / 60), Math.abs(offset) % 60];
  return `${wall}${offset < 0 ? '-' : '+'}${twoDigits(hours)}:${twoDigits(minutes)}`;
}

const twoDigits = (value: number): string => String(value).padStart(2, '0');
