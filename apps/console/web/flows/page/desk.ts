// What lies open on the page of a flow beside the document itself. What is worth a link is in the address instead (search.ts).
import { create } from 'zustand';
import type { Place } from '../document/doc.ts';

export type Open =
  | { readonly kind: 'add'; readonly from: string | null; readonly at: Place | null }
  | { readonly kind: 'find' }
  | { readonly kind: 'connect'; readonly from: string }
  | { readonly kind: 'save' }
  | { readonly kind: 'publish'; readonly version: number }
  | { readonly kind: 'unpublish' }
  | { readonly kind: 'shortcuts' };

export const useDesk = create<{ readonly open: Open | null }>(() => ({ open: null }));

export const openUp = (open: Open): void => useDesk.setState({ open });
export const close = (): void => useDesk.setState({ open: null });
