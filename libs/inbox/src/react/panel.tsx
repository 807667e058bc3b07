'use client';
// The list of items with its views.
import { useCallback, useEffect, useState, type ReactNode } from 'react';
import type { InboxFilter } from '../changes.ts';
import { InboxItem, type ItemProps } from './item.tsx';
import { describeError, type InboxLocalization } from './localization.ts';
import { useSetting, useView } from './provider.tsx';
import { useControlled } from './use-controlled.ts';
import { useListKeys } from './use-list-keys.ts';

export type InboxView = 'all' | 'unread' | 'archived' | 'snoozed';

export interface InboxPanelProps extends ItemProps {
  /** The shown items. Default: the panel keeps it, starting with `all`. */
  readonly view?: InboxView;
  readonly onViewChange?: (view: InboxView) => void;
}

interface ViewRow {
  readonly filter: InboxFilter;
  readonly nothing: keyof InboxLocalization & `nothing${string}`;
}

const VIEWS: Readonly<Record<InboxView, ViewRow>> = {
  all: { filter: {}, nothing: 'nothing' },
  unread: { filter: { status: 'unread' }, nothing: 'nothingUnread' },
  archived: { filter: { state: 'archived' }, nothing: 'nothingArchived' },
  snoozed: { filter: { state: 'snoozed' }, nothing: 'nothingSnoozed' },
};

export function InboxPanel({ view: given, onViewChange, ...props }: InboxPanelProps) {
  const { words, formats } = useSetting();
  const [shown, show] = useControlled<InboxView>(given, 'all', onViewChange);
  const { state, view } = useView(VIEWS[shown].filter);
  const around = useListKeys(state.items, view);
  const nowMs = useNowMs();
  const [refused, setRefused] = useState<unknown>(null);
  const run = useCallback((change: Promise<void>) => {
    setRefused(null);
    change.catch(setRefused);
  }, []);
  const isEmpty = state.items.length === 0;
  const isOffline = state.connection === 'offline';

  return (
    <div ref={around} className="parley-inbox parley-inbox-panel" tabIndex={-1}>
      {/* aria-disabled, because a disabled button loses the focus. */}
      <div className="parley-inbox-head">
        <h2 className="parley-inbox-title">{words.title}</h2>
        <button
          type="button"
          className="parley-inbox-button"
          aria-disabled={state.unreadCount === 0}
          onClick={() => state.unreadCount > 0 && run(view.actions.readAll())}
        >
          {words.markAllRead}
        </button>
      </div>
      <div role="group" aria-label={words.views} className="parley-inbox-views">
        {(Object.keys(VIEWS) as InboxView[]).map((name) => (
          <button
            key={name}
            type="button"
            className="parley-inbox-view"
            aria-pressed={name === shown}
            onClick={() => show(name)}
          >
            {words[name]}
            {name === 'unread' && state.unreadCount > 0 && ` (${formats.number(state.unreadCount)})`}
          </button>
        ))}
      </div>
      {refused !== null && <Note role="alert">{describeError(refused, words)}</Note>}
      {state.error !== null && (isEmpty || !isOffline) ? (
        <Note role="alert">
          {describeError(state.error, words)}{' '}
          <button type="button" className="parley-inbox-button" onClick={() => void view.actions.refresh()}>
            {words.tryAgain}
          </button>
        </Note>
      ) : (
        isOffline && <Note role="status">{words.offline}</Note>
      )}
      {isEmpty && state.error === null && (
        <Note role="status">{state.isLoading ? words.loading : words[VIEWS[shown].nothing]}</Note>
      )}
      {!isEmpty && (
        <div className="parley-inbox-scroller">
          <ul className="parley-inbox-items">
            {state.items.map((item) => (
              <InboxItem
                key={item.id}
                {...props}
                item={item}
                nowMs={nowMs}
                actions={view.actions}
                run={run}
              />
            ))}
          </ul>
          {state.hasMore && (
            <button
              type="button"
              className="parley-inbox-button parley-inbox-more"
              aria-disabled={state.isLoading}
              onClick={() => void view.actions.loadMore()}
            >
              {words.loadMore}
            </button>
          )}
        </div>
      )}
    </div>
  );
}

function Note({ role, children }: { role: 'status' | 'alert'; children: ReactNode }) {
  return (
    <p role={role} className="parley-inbox-note">
      {children}
    </p>
  );
}

const TICK_MS = 30_000;

/** Updates regularly, so that relative times stay correct. */
function useNowMs(): number {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return nowMs;
}
