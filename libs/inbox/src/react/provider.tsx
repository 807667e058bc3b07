'use client';
// Whose inbox the components below it show, and in which words. Says what arrives, once, however many of them there are.
import {
  createContext,
  useContext,
  useEffect,
  useLayoutEffect,
  useMemo,
  useState,
  useSyncExternalStore,
  type ReactNode,
} from 'react';
import { inOrder, type InboxFilter, type Item } from '../changes.ts';
import type { InboxState } from '../inbox.ts';
import type { InboxOptions } from '../shared.ts';
import { ENGLISH, formatsOf, type Formats, type InboxLocalization } from './localization.ts';
import { createViews, OPENING, type InboxActions, type View, type Views } from './views.ts';

export interface InboxProviderProps extends InboxOptions {
  /** Words that are not named are English. */
  readonly localization?: Partial<InboxLocalization>;
  /** Of times and numbers, a BCP 47 tag. Default: the browser's. */
  readonly locale?: string;
  readonly children?: ReactNode;
}

interface Setting {
  readonly views: Views;
  readonly words: InboxLocalization;
  readonly formats: Formats;
}

const Context = createContext<Setting | null>(null);

export function InboxProvider({
  url,
  userId,
  getToken,
  fetch,
  localization,
  locale,
  children,
}: InboxProviderProps) {
  const hasToken = getToken !== undefined;
  const views = useMemo(() => createViews({ url, userId, hasToken }), [url, userId, hasToken]);
  // Before anything below it subscribes, which happens in effects that come later.
  useLayoutEffect(() => views.renew({ getToken, fetch }));
  const formats = useMemo(() => formatsOf(locale), [locale]);
  const setting = useMemo(
    () => ({ views, formats, words: { ...ENGLISH, ...localization } }),
    [views, formats, localization],
  );
  return (
    <Context.Provider value={setting}>
      {children}
      <Arrivals key={userId} />
    </Context.Provider>
  );
}

export function useSetting(): Setting {
  const setting = useContext(Context);
  if (setting === null) throw new Error('There is no <InboxProvider> around this component.');
  return setting;
}

export function useView(filter: InboxFilter): { state: InboxState; view: View } {
  const view = useSetting().views.of(filter);
  const state = useSyncExternalStore(view.subscribe, view.state, onServer);
  return { state, view };
}

const onServer = () => OPENING;

/** The inbox as a filter shows it, and what can be done with it. Components with the same filter share one. */
export function useInbox(filter: InboxFilter = {}): InboxState & InboxActions {
  const { state, view } = useView(filter);
  return useMemo(() => ({ ...state, ...view.actions }), [state, view]);
}

function Arrivals() {
  const { views, words } = useSetting();
  const [arrived, setArrived] = useState<readonly Item[]>([]);
  useEffect(() => {
    const view = views.of({});
    let isKnown = false;
    let newest: Item | undefined;
    return view.subscribe(() => {
      const { items, isLoading, error } = view.state();
      if (isKnown) {
        const found = items.filter((item) => newest === undefined || inOrder(item, newest) < 0);
        if (found.length === 0) return;
        setArrived(found);
      } else if (isLoading || error !== null) return;
      isKnown = true;
      newest = items[0];
    });
  }, [views]);
  return (
    <div role="status" aria-live="polite" className="parley-inbox-aloud">
      {/* Another element each time: the same words again are read out again. */}
      {arrived.length > 0 && <p key={arrived[0]!.id}>{words.arrived(arrived)}</p>}
    </div>
  );
}
