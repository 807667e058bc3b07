// The texts of the components, all replaceable. Intl formats times and numbers.
import { ParleyError } from '@parley/sdk';
import type { Item } from '../changes.ts';

export interface InboxLocalization {
  readonly title: string;
  /** Accessible name of the button, with the number. */
  readonly bell: (unread: number) => string;
  /** Accessible name of the view switch. */
  readonly views: string;
  readonly all: string;
  readonly unread: string;
  readonly archived: string;
  readonly markAllRead: string;
  /** Hidden prefix of unread titles, for screen readers. */
  readonly isUnread: string;
  readonly markRead: string;
  readonly markUnread: string;
  readonly archive: string;
  readonly unarchive: string;
  readonly delete: string;
  readonly loading: string;
  readonly loadMore: string;
  readonly nothing: string;
  readonly nothingUnread: string;
  readonly nothingArchived: string;
  /** Announcement of new items, newest first. */
  readonly arrived: (items: readonly Item[]) => string;
  readonly offline: string;
  /** A failed list or a refused change. */
  readonly failed: (error: unknown) => string;
  readonly tryAgain: string;
}

export const ENGLISH: InboxLocalization = {
  title: 'Notifications',
  bell: (unread) => (unread === 0 ? 'Notifications' : `Notifications, ${unread} unread`),
  views: 'Show',
  all: 'All',
  unread: 'Unread',
  archived: 'Archived',
  markAllRead: 'Mark all read',
  isUnread: 'Unread:',
  markRead: 'Mark read',
  markUnread: 'Mark unread',
  archive: 'Archive',
  unarchive: 'Move to inbox',
  delete: 'Delete',
  loading: 'Loading …',
  loadMore: 'Show older notifications',
  nothing: 'No notifications',
  nothingUnread: 'No unread notifications',
  nothingArchived: 'No archived notifications',
  arrived: ([first, ...others]) =>
    others.length === 0 ? `New notification: ${titleOf(first!)}` : `${others.length + 1} new notifications`,
  offline: 'Not connected. Reconnecting …',
  failed: (error) =>
    error instanceof ParleyError ? `Something went wrong: ${error.message}` : 'Something went wrong.',
  tryAgain: 'Try again',
};

export const titleOf = ({ title, body }: Item): string => title || body;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Older items show the date. */
const RELATIVE_MS_MAX = 7 * DAY_MS;

export interface Formats {
  number(value: number): string;
  /** Relative time, or the date. */
  ago(date: Date, nowMs: number): string;
  whole(date: Date): string;
}

/** @param locale default: the browser's */
export function formatsOf(locale: string | undefined): Formats {
  const number = new Intl.NumberFormat(locale);
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' });
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
  const whole = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'short' });
  return {
    number: (value) => number.format(value),
    ago: (date, nowMs) => {
      const ms = Math.min(0, date.getTime() - nowMs);
      if (ms > -MINUTE_MS) return relative.format(0, 'second');
      if (ms > -HOUR_MS) return relative.format(Math.ceil(ms / MINUTE_MS), 'minute');
      if (ms > -DAY_MS) return relative.format(Math.ceil(ms / HOUR_MS), 'hour');
      return ms > -RELATIVE_MS_MAX ? relative.format(Math.ceil(ms / DAY_MS), 'day') : day.format(date);
    },
    whole: (date) => whole.format(date),
  };
}
