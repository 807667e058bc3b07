// Generates documents of a format from a complete one.

/** Leaves out some members, at any depth. */
export function leaveOut(document: unknown, picks: readonly number[]): unknown {
  const copy: unknown = structuredClone(document);
  for (const pick of picks) {
    const places = listPlaces(copy);
    const place = places[pick % places.length];
    if (place === undefined) continue;
    if (Array.isArray(place.holder)) place.holder.splice(Number(place.key), 1);
    else delete place.holder[place.key];
  }
  return copy;
}

function listPlaces(value: unknown): { holder: Record<string, unknown>; key: string }[] {
  if (typeof value !== 'object' || value === null) return [];
  const holder = value as Record<string, unknown>;
  return Object.keys(holder).flatMap((key) => [{ holder, key }, ...listPlaces(holder[key])]);
}
