'use client';
// One item: title, body, the sender's actions and the user's tools.
import { memo, useId, type MouseEvent, type ReactNode } from 'react';
import type { Item } from '../changes.ts';
import { Icon } from './icons.tsx';
import { titleOf } from './localization.ts';
import { useSetting } from './provider.tsx';
import type { InboxActions } from './views.ts';

export type ItemAction = Item['actions'][number];

export interface ItemProps {
  /** Click on the title. `preventDefault()` stops marking it read and following the link. */
  readonly onNotificationClick?: (item: Item, event: MouseEvent) => void;
  /** Click on an action of the sender. `preventDefault()` as above. */
  readonly onActionClick?: (item: Item, action: ItemAction, event: MouseEvent) => void;
  /** Replaces the text of the item. */
  readonly renderBody?: (item: Item) => ReactNode;
}

interface ItemContentProps extends ItemProps {
  readonly item: Item;
  readonly nowMs: number;
  readonly actions: InboxActions;
  /** Runs a change and shows its error. */
  readonly run: (change: Promise<void>) => void;
}

/**
 * Other schemes belong to apps, which `onNotificationClick` can follow
 * (docs/notifications.md#in-app-inbox).
 */
const followed = (url: string | null | undefined): string | undefined =>
  url && /^(\/|https?:|mailto:|tel:)/i.test(url) ? url : undefined;

/** Memoised, so that a long list renders only changed items. */
export const InboxItem = memo(function InboxItem({ item, nowMs, actions, run, ...props }: ItemContentProps) {
  const { words, formats } = useSetting();
  const titleId = useId();
  const isUnread = item.status === 'unread';
  const isArchived = item.archived_at !== null;
  const at = new Date(item.created_at * 1000);

  const href = followed(item.url);
  const taken = (event: MouseEvent, how: { clicked: boolean }) => {
    if (!event.defaultPrevented && (isUnread || how.clicked)) run(actions.read(item.id, how));
  };
  const press = (event: MouseEvent) => {
    props.onNotificationClick?.(item, event);
    taken(event, { clicked: href !== undefined });
  };
  const title = { id: titleId, className: 'parley-inbox-item-title', onClick: press };
  const tool = (icon: Parameters<typeof Icon>[0]['name'], label: string, change: () => Promise<void>) => (
    <button
      type="button"
      className="parley-inbox-tool"
      aria-label={label}
      aria-describedby={titleId}
      title={label}
      onClick={() => run(change())}
    >
      <Icon name={icon} />
    </button>
  );

  return (
    <li className="parley-inbox-item" data-item={item.id} data-status={item.status}>
      <div className="parley-inbox-item-text">
        {isUnread && <span className="parley-inbox-aloud">{words.isUnread}</span>}
        {href === undefined ? (
          <button type="button" {...title}>
            {titleOf(item)}
          </button>
        ) : (
          <a href={href} {...title}>
            {titleOf(item)}
          </a>
        )}
        <div className="parley-inbox-item-body">
          {props.renderBody ? props.renderBody(item) : item.title && item.body}
        </div>
        <time dateTime={at.toISOString()} title={formats.whole(at)} className="parley-inbox-time">
          {formats.ago(at, nowMs)}
        </time>
        {item.actions.length > 0 && (
          <div className="parley-inbox-actions">
            {item.actions.map((action) => (
              <SendersAction
                key={action.label + (action.url ?? action.id)}
                action={action}
                onClick={(event) => {
                  props.onActionClick?.(item, action, event);
                  taken(event, { clicked: true });
                }}
              />
            ))}
          </div>
        )}
      </div>
      <div className="parley-inbox-tools">
        {isUnread
          ? tool('read', words.markRead, () => actions.read(item.id))
          : !isArchived && tool('unread', words.markUnread, () => actions.unread(item.id))}
        {isArchived
          ? tool('unarchive', words.unarchive, () => actions.unarchive(item.id))
          : tool('archive', words.archive, () => actions.archive(item.id))}
        {tool('delete', words.delete, () => actions.delete(item.id))}
      </div>
    </li>
  );
});

function SendersAction({ action, onClick }: { action: ItemAction; onClick: (event: MouseEvent) => void }) {
  const href = followed(action.url);
  return href === undefined ? (
    <button type="button" className="parley-inbox-button" onClick={onClick}>
      {action.label}
    </button>
  ) : (
    <a href={href} className="parley-inbox-button" onClick={onClick}>
      {action.label}
    </a>
  );
}
