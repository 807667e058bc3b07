// Translates between the URL parameters of a list and the filter of an export. Pure.
import { toFilter, toSearch } from '../filters/conversation-query.ts';
import type { ConversationSearch } from '../filters/conversation-search.ts';
import { toDeliveryQuery } from '../filters/delivery-query.ts';
import type { DeliveriesSearch } from '../filters/delivery-search.ts';
import type { Export, Format, NewExport } from './api.ts';

/** The list that is exported, with its URL parameters. */
export type ExportSource =
  | { readonly of: 'conversations'; readonly search: ConversationSearch }
  | { readonly of: 'deliveries'; readonly search: DeliveriesSearch };

/** There is no vCon of deliveries. */
export function toNewExport(asked: ExportSource, format: Format, nowMs: number): NewExport {
  if (asked.of === 'conversations') return { of: asked.of, format, filter: toFilter(asked.search, nowMs) };
  const filter = toDeliveryQuery({ ...asked.search, cursor: undefined }, nowMs);
  return { of: asked.of, format: format === 'vcon' ? 'jsonl' : format, filter };
}

/** The address of the list that shows what the export contains. */
export function toListLink({ of, filter }: Pick<Export, 'of' | 'filter'>) {
  return of === 'conversations'
    ? ({ to: '/conversations', search: toSearch(filter) } as const)
    : ({ to: '/deliveries', search: filter as DeliveriesSearch } as const);
}
