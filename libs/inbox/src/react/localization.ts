// The texts of the components, all replaceable. Intl formats times and numbers.
import { ApiError, ParleyError } from '@parley/sdk';
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
  readonly snoozed: string;
  readonly markAllRead: string;
  /** Hidden prefix of unread titles, for screen readers. */
  readonly isUnread: string;
  readonly markRead: string;
  readonly markUnread: string;
  readonly archive: string;
  readonly unarchive: string;
  readonly delete: string;
  readonly snooze: string;
  readonly snoozeHour: string;
  readonly snoozeDay: string;
  readonly snoozeWeek: string;
  readonly unsnooze: string;
  /** The time at which a snoozed item comes back. */
  readonly until: (time: string) => string;
  /** The button that opens the preferences. */
  readonly preferences: string;
  /** All that is not required. */
  readonly everything: string;
  readonly chat: string;
  readonly email: string;
  readonly in_app: string;
  readonly web_push: string;
  readonly showMore: string;
  readonly showLess: string;
  readonly loading: string;
  readonly loadMore: string;
  readonly nothing: string;
  readonly nothingUnread: string;
  readonly nothingArchived: string;
  readonly nothingSnoozed: string;
  /** Announcement of new items, newest first. */
  readonly arrived: (items: readonly Item[]) => string;
  readonly offline: string;
  /** A failed list or a refused change. */
  readonly failed: (error: unknown) => string;
  readonly tryAgain: string;
  /** The service refuses the token, also the one that `getToken` returned afterwards. */
  readonly signedOut: string;
}

export const ENGLISH: InboxLocalization = {
  title: 'Notifications',
  bell: (unread) => (unread === 0 ? 'Notifications' : `Notifications, ${unread} unread`),
  views: 'Show',
  all: 'All',
  unread: 'Unread',
  archived: 'Archived',
  snoozed: 'Snoozed',
  markAllRead: 'Mark all read',
  isUnread: 'Unread:',
  markRead: 'Mark read',
  markUnread: 'Mark unread',
  archive: 'Archive',
  unarchive: 'Move to inbox',
  delete: 'Delete',
  snooze: 'Snooze',
  snoozeHour: 'For an hour',
  snoozeDay: 'Until tomorrow',
  snoozeWeek: 'Until Monday',
  unsnooze: 'End snooze',
  until: (time) => `Until ${time}`,
  preferences: 'Preferences',
  everything: 'All notifications that are not required',
  chat: 'Chat',
  email: 'E-mail',
  in_app: 'In-app',
  web_push: 'Push',
  showMore: 'Show more',
  showLess: 'Show less',
  loading: 'Loading …',
  loadMore: 'Show older notifications',
  nothing: 'No notifications',
  nothingUnread: 'No unread notifications',
  nothingArchived: 'No archived notifications',
  nothingSnoozed: 'No snoozed notifications',
  arrived: ([first, ...others]) =>
    others.length === 0 ? `New notification: ${titleOf(first!)}` : `${others.length + 1} new notifications`,
  offline: 'Not connected. Reconnecting …',
  failed: (error) =>
    error instanceof ParleyError ? `Something went wrong: ${error.message}` : 'Something went wrong.',
  tryAgain: 'Try again',
  signedOut: 'You are signed out. Sign in again to see your notifications.',
};

export const titleOf = ({ title, body }: Item): string => title || body;

/** Without a subject the service takes the title from the message, at least this long. */
const TAKEN_TITLE_CHARS = 80;

/** The title says nothing that the body does not. */
export const isTitleOfBody = ({ title, body }: Item): boolean =>
  title === '' || title === body || (title.length >= TAKEN_TITLE_CHARS && body.startsWith(title));

/** What a user reads about an error. Messages about credentials are for developers. */
export function describeError(error: unknown, words: InboxLocalization): string {
  return error instanceof ApiError && error.status === 401 ? words.signedOut : words.failed(error);
}

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
