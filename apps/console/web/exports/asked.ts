// What the address of a list means to an export, and the address that shows what an export is of. Pure.
import { filterOf, searchOf } from '../conversations/meant.ts';
import type { ConversationSearch } from '../conversations/routes.tsx';
import { askedFor } from '../deliveries/asked-for.ts';
import type { DeliveriesSearch } from '../deliveries/routes.tsx';
import type { Export, Format, NewExport } from './api.ts';

/** A list, and what it shows. */
export type Asked =
  | { readonly of: 'conversations'; readonly search: ConversationSearch }
  | { readonly of: 'deliveries'; readonly search: DeliveriesSearch };

/** A format that there is none of is refused by the service. */
export function wishOf(asked: Asked, format: Format, nowMs: number): NewExport {
  if (asked.of === 'conversations') return { of: asked.of, format, filter: filterOf(asked.search, nowMs) };
  const filter = askedFor({ ...asked.search, cursor: undefined }, nowMs);
  return { of: asked.of, format: format === 'vcon' ? 'jsonl' : format, filter };
}

/** The list that shows what is in it. */
export function listOf({ of, filter }: Pick<Export, 'of' | 'filter'>) {
  return of === 'conversations'
    ? ({ to: '/conversations', search: searchOf(filter) } as const)
    : ({ to: '/deliveries', search: filter as DeliveriesSearch } as const);
}
