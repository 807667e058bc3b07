'use client';
// What all views of the portal share, and how they load and change.
import { createContext, useCallback, useContext, useEffect, useRef, useState } from 'react';
import { ApiError, type VoiceApi } from '@parley/sdk';
import type { components } from '@parley/sdk/voice-api';
import type { PortalLocalization } from './localization.ts';

export type Scope = components['schemas']['Portal']['scopes'][number];

export type Place =
  | { readonly view: 'list' | 'new' }
  | { readonly view: 'webhook' | 'edit'; readonly id: string; readonly secret?: string }
  | { readonly view: 'delivery'; readonly id: string; readonly deliveryId: string };

export interface Shared {
  readonly client: VoiceApi;
  readonly open: (place: Place) => void;
  readonly words: PortalLocalization;
  readonly formatTime: (time: string) => string;
  readonly formatShare: (share: number) => string;
}

export const SharedContext = createContext<Shared | null>(null);
/** What the portal link may do. */
export const ScopesContext = createContext<readonly Scope[]>([]);

export function useShared(): Shared {
  const shared = useContext(SharedContext);
  if (shared === null) throw new Error('This component needs a <Portal> around it.');
  return shared;
}

export function useCan(scope: Scope): boolean {
  return useContext(ScopesContext).includes(scope);
}

export interface Loaded<Data> {
  readonly data: Data | undefined;
  readonly error: unknown;
  readonly reload: () => void;
}

type Load<Data> = (client: VoiceApi, signal: AbortSignal) => PromiseLike<Data>;

/** Loads again when `key` or the client changes. Data of another `key` are not shown. */
export function useLoad<Data>(key: string, load: Load<Data>): Loaded<Data> {
  const { client } = useShared();
  const [round, setRound] = useState(0);
  const [state, setState] = useState<{ key: string; data?: Data; error?: unknown }>({ key });
  const latest = useRef(load);
  useEffect(() => {
    latest.current = load;
  });
  useEffect(() => {
    const abort = new AbortController();
    const settle = (settled: { data?: Data; error?: unknown }) => {
      if (!abort.signal.aborted) setState({ key, ...settled });
    };
    latest.current(client, abort.signal).then(
      (data) => settle({ data }),
      (error: unknown) => settle({ error }),
    );
    return () => abort.abort();
  }, [client, key, round]);
  const reload = useCallback(() => setRound((before) => before + 1), []);
  return state.key === key
    ? { data: state.data, error: state.error, reload }
    : { data: undefined, error: undefined, reload };
}

export interface Change {
  readonly isRunning: boolean;
  readonly error: unknown;
  readonly run: (change: () => PromiseLike<void>) => void;
}

/** Runs one change at a time. */
export function useChange(): Change {
  const [state, setState] = useState<{ isRunning: boolean; error?: unknown }>({ isRunning: false });
  const run = (change: () => PromiseLike<void>) => {
    if (state.isRunning) return;
    setState({ isRunning: true });
    change().then(
      () => setState({ isRunning: false }),
      (error: unknown) => setState({ isRunning: false, error }),
    );
  };
  return { isRunning: state.isRunning, error: state.error, run };
}

export function isExpired(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401;
}

/** The problem of the first member that was refused, or the message. */
export function explain(error: unknown): string {
  if (error instanceof ApiError && error.fields[0])
    return error.fields.map(({ path, message }) => `${path.slice(1)} ${message}`).join('. ');
  return error instanceof Error ? error.message : String(error);
}

const PENDING_EVERY_MS = 3_000;

/** Loads again while deliveries are pending. */
export function useReloadWhile(isPending: boolean, { data, reload }: Loaded<unknown>): void {
  useEffect(() => {
    if (!isPending) return;
    const timer = setTimeout(reload, PENDING_EVERY_MS);
    return () => clearTimeout(timer);
  }, [isPending, data, reload]);
}
