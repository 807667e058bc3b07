// URL parameters that every list has. An address with them is a view of the list.
import { z } from 'zod';

/** Short text of a filter. */
export const text = z.string().max(255).optional().catch(undefined);

export const listSearch = {
  cursor: z.string().optional().catch(undefined),
  /** Comma-separated ids of the columns that are shown. Absent: the usual ones. */
  columns: z.string().max(1000).optional().catch(undefined),
};

/** Parameters that are no filter. */
const NO_FILTERS = ['cursor', 'columns', 'sort', 'order', 'service', 'tab'];

export type Search = Readonly<Record<string, unknown>>;

export const listFilters = (search: Search): string[] =>
  Object.keys(search).filter((name) => search[name] !== undefined && !NO_FILTERS.includes(name));

/** The same list without its filters. */
export const withoutFilters = (search: Search): Search => ({
  ...search,
  ...Object.fromEntries(listFilters(search).map((name) => [name, undefined])),
  cursor: undefined,
});
