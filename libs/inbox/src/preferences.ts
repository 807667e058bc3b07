// The preferences of a user: which notifications they want, on which channels.
import type { components } from '@parley/sdk/notifications';
import { createService, type InboxOptions } from './service.ts';

export type Preferences = components['schemas']['Preferences'];
export type PreferenceChanges = components['schemas']['PutPreferences'];

export interface PreferencesState {
  /** Null until they are loaded. */
  readonly preferences: Preferences | null;
  /** The last failure of loading or of a change; null after success. */
  readonly error: unknown;
  readonly isBusy: boolean;
}

export interface PreferencesClient {
  readonly state: PreferencesState;
  /** Calls `listener` after every change. Returns a function that stops it. */
  subscribe(listener: () => void): () => void;
  /** Failures are in `state.error`. */
  load(): Promise<void>;
  /** One at a time, in order. Failures are in `state.error`. */
  change(changes: PreferenceChanges): Promise<void>;
}

export function openPreferences(options: InboxOptions): PreferencesClient {
  const listeners = new Set<() => void>();
  const service = createService(() => options);
  const query = { user_id: options.userId };
  let state: PreferencesState = { preferences: null, error: null, isBusy: false };
  let last: Promise<void> = Promise.resolve();

  function set(next: Partial<PreferencesState>): void {
    state = { ...state, ...next };
    for (const listener of listeners) listener();
  }

  function run(work: () => Promise<Preferences>): Promise<void> {
    set({ isBusy: true });
    last = last.then(async () => {
      try {
        set({ preferences: await work(), error: null, isBusy: false });
      } catch (error) {
        set({ error, isBusy: false });
      }
    });
    return last;
  }

  return {
    get state() {
      return state;
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    load: () => run(() => service.getPreferences(query)),
    change: (body) => run(() => service.putPreferences({ ...query, body })),
  };
}
