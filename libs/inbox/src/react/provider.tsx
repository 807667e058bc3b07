'use client';
// Provides user, service and texts to the components, and announces new items once.
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
  /** Missing texts are English. */
  readonly localization?: Partial<InboxLocalization>;
  /** BCP 47 tag for times and numbers. Default: the browser's. */
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
  // Runs before the effects of children subscribe.
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
  if (setting === null) throw new Error('This component needs an <InboxProvider> around it.');
  return setting;
}

export function useView(filter: InboxFilter): { state: InboxState; view: View } {
  const view = useSetting().views.of(filter);
  const state = useSyncExternalStore(view.subscribe, view.state, onServer);
  return { state, view };
}

const onServer = () => OPENING;

/** State and actions of the inbox. Components with the same filter share one. */
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
      {/* A new key each time, so that screen readers announce the same text again. */}
      {arrived.length > 0 && (
        <p key={arrived[0]!.id} dir="auto">
          {words.arrived(arrived)}
        </p>
      )}
    </div>
  );
}
