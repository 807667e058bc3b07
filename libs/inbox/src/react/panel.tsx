'use client';
// The list of items with its views.
import { useCallback, useEffect, useState } from 'react';
import type { InboxFilter } from '../changes.ts';
import { useView } from '../headless.tsx';
import { Icon } from './icons.tsx';
import { InboxItem, type ItemProps } from './item.tsx';
import { describeError, type InboxLocalization } from './localization.ts';
import { Note } from './note.tsx';
import { InboxPreferences } from './preferences.tsx';
import { useSetting } from './provider.tsx';
import type { InboxState } from '../inbox.ts';
import type { View } from '../views.ts';
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
  const [isChoosing, setChoosing] = useState(false);
  const { state, view } = useView(VIEWS[shown].filter);
  const around = useListKeys(state.items, view);
  const [refused, setRefused] = useState<unknown>(null);
  const run = useCallback((change: Promise<void>) => {
    setRefused(null);
    change.catch(setRefused);
  }, []);
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
        <button
          type="button"
          className="parley-inbox-tool"
          aria-label={words.preferences}
          aria-pressed={isChoosing}
          title={words.preferences}
          onClick={() => setChoosing(!isChoosing)}
        >
          <Icon name="settings" />
        </button>
      </div>
      <div role="group" aria-label={words.views} className="parley-inbox-views">
        {(Object.keys(VIEWS) as InboxView[]).map((name) => (
          <button
            key={name}
            type="button"
            className="parley-inbox-view"
            aria-pressed={name === shown && !isChoosing}
            onClick={() => {
              setChoosing(false);
              show(name);
            }}
          >
            {words[name]}
            {name === 'unread' && state.unreadCount > 0 && ` (${formats.number(state.unreadCount)})`}
          </button>
        ))}
      </div>
      {refused !== null && <Note role="alert">{describeError(refused, words)}</Note>}
      {isChoosing ? <InboxPreferences /> : <List {...{ shown, state, view, run, props }} />}
    </div>
  );
}

interface ListProps {
  readonly shown: InboxView;
  readonly state: InboxState;
  readonly view: View;
  readonly run: (change: Promise<void>) => void;
  readonly props: ItemProps;
}

function List({ shown, state, view, run, props }: ListProps) {
  const { words } = useSetting();
  const nowMs = useNowMs();
  const isEmpty = state.items.length === 0;
  const isOffline = state.connection === 'offline';
  return (
    <>
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
    </>
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
