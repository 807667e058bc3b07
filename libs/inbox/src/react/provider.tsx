'use client';
// Provides texts to the components, and announces new items once.
import { createContext, useContext, useEffect, useMemo, useState } from 'react';
import { inOrder, type Item } from '../changes.ts';
import { InboxProvider as HeadlessProvider, useViews, type HeadlessProviderProps } from '../headless.tsx';
import { ENGLISH, formatsOf, type Formats, type InboxLocalization } from './localization.ts';

export interface InboxProviderProps extends HeadlessProviderProps {
  /** Missing texts are English. */
  readonly localization?: Partial<InboxLocalization>;
  /** BCP 47 tag for times and numbers. Default: the browser's. */
  readonly locale?: string;
}

interface Setting {
  readonly words: InboxLocalization;
  readonly formats: Formats;
}

const Context = createContext<Setting | null>(null);

export function InboxProvider({ localization, locale, children, ...options }: InboxProviderProps) {
  const formats = useMemo(() => formatsOf(locale), [locale]);
  const setting = useMemo(
    () => ({ formats, words: { ...ENGLISH, ...localization } }),
    [formats, localization],
  );
  return (
    <HeadlessProvider {...options}>
      <Context.Provider value={setting}>
        {children}
        <Arrivals key={options.userId} />
      </Context.Provider>
    </HeadlessProvider>
  );
}

export function useSetting(): Setting {
  const setting = useContext(Context);
  if (setting === null) throw new Error('This component needs an <InboxProvider> around it.');
  return setting;
}

function Arrivals() {
  const views = useViews();
  const { words } = useSetting();
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
