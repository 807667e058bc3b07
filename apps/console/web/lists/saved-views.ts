// Views of lists that the person saved: named addresses, stored in this browser per organisation.
import { z } from 'zod';

const PER_LIST_MAX = 20;
export const NAME_MAX = 60;

const views = z
  .array(z.object({ path: z.string(), name: z.string(), search: z.record(z.string(), z.unknown()) }))
  .catch([]);
export type View = z.output<typeof views>[number];

const keyOf = (organization: string) => `parley-views:${organization}`;

/** Anything that cannot be read counts as no views. */
function readAll(organization: string): View[] {
  try {
    return views.parse(JSON.parse(localStorage.getItem(keyOf(organization)) ?? '[]'));
  } catch {
    return [];
  }
}

const writeAll = (organization: string, all: readonly View[]) =>
  localStorage.setItem(keyOf(organization), JSON.stringify(all));

const isSame = (a: View, b: Pick<View, 'path' | 'name'>) => a.path === b.path && a.name === b.name;

/** The views of one list, oldest first. */
export const listViews = (organization: string, path: string): View[] =>
  readAll(organization).filter((view) => view.path === path);

/** Replaces the view of that name. Beyond the limit, the oldest view of the list goes. */
export function saveView(organization: string, view: View): void {
  const others = readAll(organization).filter((one) => !isSame(one, view));
  const ofList = others.filter(({ path }) => path === view.path);
  const oldest = ofList.slice(0, Math.max(0, ofList.length + 1 - PER_LIST_MAX));
  writeAll(organization, [...others.filter((one) => !oldest.includes(one)), view]);
}

export const deleteView = (organization: string, view: View): void =>
  writeAll(
    organization,
    readAll(organization).filter((one) => !isSame(one, view)),
  );
