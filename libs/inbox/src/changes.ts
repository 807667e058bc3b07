// Applies changes and filters to items by the service's rules (docs/notifications.md#in-app-inbox),
// for optimistic updates. Pure.
import type { components } from '@parley/sdk/notifications';

export type Item = components['schemas']['InAppNotification'];

/**
 * A missing member matches everything; a missing `state` matches what is neither archived nor
 * snoozed.
 */
export interface InboxFilter {
  readonly status?: 'unread' | 'read' | 'all';
  readonly state?: 'inbox' | 'archived' | 'snoozed' | 'all';
  readonly category?: string;
}

export type Change =
  | { readonly kind: 'seen' | 'read' | 'unread' | 'archived' | 'unarchived' | 'unsnoozed' | 'deleted' }
  | { readonly kind: 'snoozed'; readonly until: number };

/** A change of one item, or of all (`seen`, `read`, `deleted`). */
export type Done = Change & { readonly id: string | null };

const isSnoozed = ({ snoozed_until: until }: Item, now: number) => until !== null && until > now;
const isInInbox = (item: Item, now: number) => item.archived_at === null && !isSnoozed(item, now);
export const countsUnread = (item: Item, now: number) => item.status === 'unread' && isInInbox(item, now);

/** @param now Unix seconds */
export function shows(filter: InboxFilter, item: Item, now: number): boolean {
  const { status = 'all', state = 'inbox', category } = filter;
  if (item.expires_at !== null && item.expires_at <= now) return false;
  if (category !== undefined && item.category !== category) return false;
  if (status !== 'all' && item.status !== status) return false;
  if (state === 'all') return true;
  if (state === 'archived') return item.archived_at !== null;
  return state === 'snoozed' ? isSnoozed(item, now) : isInInbox(item, now);
}

/** The changed item; null when deleted. */
export function changed(item: Item, change: Done, now: number): Item | null {
  if (change.id !== null && change.id !== item.id) return item;
  const read = { status: 'read', read_at: item.read_at ?? now, seen_at: item.seen_at ?? now } as const;
  switch (change.kind) {
    case 'deleted':
      return null;
    case 'seen':
      return isInInbox(item, now) ? { ...item, seen_at: item.seen_at ?? now } : item;
    case 'read': // for all: skips archived and snoozed items
      return change.id === null && !isInInbox(item, now) ? item : { ...item, ...read };
    case 'unread':
      return { ...item, status: 'unread', read_at: null, archived_at: null };
    case 'archived':
      return { ...item, ...read, archived_at: item.archived_at ?? now, snoozed_until: null };
    case 'unarchived':
      return { ...item, archived_at: null };
    case 'snoozed':
      return { ...item, archived_at: null, snoozed_until: change.until };
    case 'unsnoozed':
      return { ...item, snoozed_until: null };
  }
}

/** Newest first, in the order of the service. */
export const inOrder = (one: Item, other: Item): number =>
  other.created_at - one.created_at || (other.id < one.id ? -1 : 1);
