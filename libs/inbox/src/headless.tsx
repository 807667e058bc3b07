'use client';
// @parley/inbox/headless: the hooks without DOM, for React Native and for designs of your own.
import {
  createContext,
  useContext,
  useEffect,
  useLayoutEffect,
  useMemo,
  useSyncExternalStore,
  type ReactNode,
} from 'react';
import type { InboxFilter } from './changes.ts';
import type { InboxState } from './inbox.ts';
import type { PreferenceChanges, PreferencesState } from './preferences.ts';
import type { InboxOptions } from './shared.ts';
import { createViews, LOADING, OPENING, type InboxActions, type View, type Views } from './views.ts';

export type { InboxActions } from './views.ts';
export type { Preferences, PreferenceChanges, PreferencesState } from './preferences.ts';

export interface HeadlessProviderProps extends InboxOptions {
  readonly children?: ReactNode;
}

const Context = createContext<Views | null>(null);

export function InboxProvider({ url, userId, getToken, fetch, children }: HeadlessProviderProps) {
  const hasToken = getToken !== undefined;
  const views = useMemo(() => createViews({ url, userId, hasToken }), [url, userId, hasToken]);
  // Runs before the effects of children subscribe.
  useLayoutEffect(() => views.renew({ getToken, fetch }));
  return <Context.Provider value={views}>{children}</Context.Provider>;
}

export function useViews(): Views {
  const views = useContext(Context);
  if (views === null) throw new Error('This component needs an <InboxProvider> around it.');
  return views;
}

export function useView(filter: InboxFilter): { state: InboxState; view: View } {
  const view = useViews().of(filter);
  const state = useSyncExternalStore(view.subscribe, view.state, openingState);
  return { state, view };
}

const openingState = () => OPENING;
const loadingState = () => LOADING;

/** State and actions of the inbox. Components with the same filter share one. */
export function useInbox(filter: InboxFilter = {}): InboxState & InboxActions {
  const { state, view } = useView(filter);
  return useMemo(() => ({ ...state, ...view.actions }), [state, view]);
}

export interface PreferencesHook extends PreferencesState {
  readonly change: (changes: PreferenceChanges) => Promise<void>;
  readonly reload: () => Promise<void>;
}

/** The preferences of the user, loaded when the first component asks. */
export function usePreferences(): PreferencesHook {
  const { preferences: client } = useViews();
  const state = useSyncExternalStore(client.subscribe, () => client.state, loadingState);
  useEffect(() => {
    if (client.state.preferences === null) void client.load();
  }, [client]);
  return useMemo(
    () => ({ ...state, change: (changes) => client.change(changes), reload: () => client.load() }),
    [state, client],
  );
}
