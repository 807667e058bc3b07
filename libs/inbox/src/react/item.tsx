'use client';
// One item: title, body, the sender's actions and the user's tools.
import { memo, useId, useState, type MouseEvent, type ReactNode, type RefObject } from 'react';
import type { Item } from '../changes.ts';
import { Icon, type IconName } from './icons.tsx';
import { isTitleOfBody, titleOf } from './localization.ts';
import { useSetting } from './provider.tsx';
import { SnoozeChoices } from './snooze.tsx';
import { useClamp } from './use-clamp.ts';
import type { InboxActions } from '../views.ts';

export type ItemAction = Item['actions'][number];

export interface ItemProps {
  /** Click on the title. `preventDefault()` stops marking it read and following the link. */
  readonly onNotificationClick?: (item: Item, event: MouseEvent) => void;
  /** Click on an action of the sender. `preventDefault()` as above. */
  readonly onActionClick?: (item: Item, action: ItemAction, event: MouseEvent) => void;
  /** Replaces the text of the item. */
  readonly renderBody?: (item: Item) => ReactNode;
  /** Shown in front of the text, for example a picture of the sender. */
  readonly renderAvatar?: (item: Item) => ReactNode;
  /** Replaces all of a row. Arrow keys move between its first links or buttons. */
  readonly renderItem?: (item: Item, actions: InboxActions) => ReactNode;
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
export const InboxItem = memo(function InboxItem(props: ItemContentProps) {
  const { item, actions, renderItem } = props;
  return (
    <li className="parley-inbox-item" data-item={item.id} data-status={item.status}>
      {renderItem ? renderItem(item, actions) : <Row {...props} />}
    </li>
  );
});

function Row({ item, nowMs, actions, run, ...props }: ItemContentProps) {
  const { words, formats } = useSetting();
  const titleId = useId();
  const [isSnoozing, setSnoozing] = useState(false);
  const text = isTitleOfBody(item) ? item.body : titleOf(item);
  const body = isTitleOfBody(item) ? '' : item.body;
  const { text: clamped, isLong, isOpen, toggle } = useClamp(text + body);
  const cut = (long: string) => (
    <Clamped text={clamped} isOpen={isOpen}>
      {long}
    </Clamped>
  );
  const isUnread = item.status === 'unread';
  const at = new Date(item.created_at * 1000);
  const until = item.snoozed_until === null ? 0 : item.snoozed_until * 1000;

  const href = followed(item.url);
  const taken = (event: MouseEvent, how: { clicked: boolean }) => {
    if (!event.defaultPrevented && (isUnread || how.clicked)) run(actions.read(item.id, how));
  };
  const press = (event: MouseEvent) => {
    props.onNotificationClick?.(item, event);
    taken(event, { clicked: href !== undefined });
  };
  const title = { id: titleId, className: 'parley-inbox-item-title', onClick: press, dir: 'auto' };
  const heading = body === '' ? cut(text) : text;
  return (
    <>
      {props.renderAvatar && <div className="parley-inbox-avatar">{props.renderAvatar(item)}</div>}
      <div className="parley-inbox-item-text">
        {isUnread && <span className="parley-inbox-aloud">{words.isUnread}</span>}
        {href === undefined ? (
          <button type="button" {...title}>
            {heading}
          </button>
        ) : (
          <a href={href} {...title}>
            {heading}
          </a>
        )}
        <div className="parley-inbox-item-body" dir="auto">
          {props.renderBody ? props.renderBody(item) : body && cut(body)}
        </div>
        {isLong && (
          <button
            type="button"
            className="parley-inbox-toggle"
            aria-expanded={isOpen}
            aria-describedby={titleId}
            onClick={toggle}
          >
            {isOpen ? words.showLess : words.showMore}
          </button>
        )}
        <time dateTime={at.toISOString()} title={formats.whole(at)} className="parley-inbox-time">
          {until > nowMs ? words.until(formats.whole(new Date(until))) : formats.ago(at, nowMs)}
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
        {isSnoozing && (
          <SnoozeChoices
            choose={(time) => {
              setSnoozing(false);
              run(actions.snooze(item.id, time));
            }}
          />
        )}
      </div>
      <Tools
        {...{ item, actions, run, titleId, isSnoozed: until > nowMs, isSnoozing }}
        toggleSnooze={() => setSnoozing(!isSnoozing)}
      />
    </>
  );
}

interface ClampedProps {
  readonly text: RefObject<HTMLSpanElement | null>;
  readonly isOpen: boolean;
  readonly children: string;
}

/** A text of the sender, cut to a few lines. */
function Clamped({ text, isOpen, children }: ClampedProps) {
  return (
    <span ref={text} className="parley-inbox-clamp" data-clamped={isOpen ? undefined : ''}>
      {children}
    </span>
  );
}

interface ToolsProps extends Pick<ItemContentProps, 'item' | 'actions' | 'run'> {
  readonly titleId: string;
  readonly isSnoozed: boolean;
  readonly isSnoozing: boolean;
  readonly toggleSnooze: () => void;
}

function Tools({ item, actions, run, titleId, isSnoozed, isSnoozing, toggleSnooze }: ToolsProps) {
  const { words } = useSetting();
  const isArchived = item.archived_at !== null;
  const tool = (icon: IconName, label: string, press: () => void, isOpen?: boolean) => (
    <button
      type="button"
      className="parley-inbox-tool"
      aria-label={label}
      aria-describedby={titleId}
      aria-expanded={isOpen}
      title={label}
      onClick={press}
    >
      <Icon name={icon} />
    </button>
  );
  const { id } = item;
  return (
    <div className="parley-inbox-tools">
      {item.status === 'unread'
        ? tool('read', words.markRead, () => run(actions.read(id)))
        : !isArchived && tool('unread', words.markUnread, () => run(actions.unread(id)))}
      {isSnoozed
        ? tool('snooze', words.unsnooze, () => run(actions.snooze(id, null)))
        : !isArchived && tool('snooze', words.snooze, toggleSnooze, isSnoozing)}
      {isArchived
        ? tool('unarchive', words.unarchive, () => run(actions.unarchive(id)))
        : tool('archive', words.archive, () => run(actions.archive(id)))}
      {tool('delete', words.delete, () => run(actions.delete(id)))}
    </div>
  );
}

function SendersAction({ action, onClick }: { action: ItemAction; onClick: (event: MouseEvent) => void }) {
  const href = followed(action.url);
  return href === undefined ? (
    <button type="button" dir="auto" className="parley-inbox-button" onClick={onClick}>
      {action.label}
    </button>
  ) : (
    <a href={href} dir="auto" className="parley-inbox-button" onClick={onClick}>
      {action.label}
    </a>
  );
}
