// The open dialog of the flow page. State that a link should keep is in the URL (search.ts).
import { create } from 'zustand';
import type { Place } from './document/doc.ts';
import type { Panel } from './page-search.ts';

export type Open =
  | {
      readonly kind: 'add';
      readonly from: string | null;
      /** The choice of `from` to connect from. */
      readonly port: string | null;
      readonly at: Place | null;
    }
  | { readonly kind: 'find' }
  | { readonly kind: 'connect'; readonly from: string }
  | { readonly kind: 'save' }
  | { readonly kind: 'publish'; readonly version: number }
  | { readonly kind: 'unpublish' }
  | { readonly kind: 'shortcuts' };

export const useDesk = create<{ readonly open: Open | null }>(() => ({ open: null }));

export const openUp = (open: Open): void => useDesk.setState({ open });
let toPanel: (panel: Panel) => void = () => {};
/** The open panel is a URL parameter, so the page registers how to change it. */
export const setPanels = (show: (panel: Panel) => void): void => {
  toPanel = show;
};
export const showPanel = (panel: Panel): void => toPanel(panel);

export const close = (): void => useDesk.setState({ open: null });
