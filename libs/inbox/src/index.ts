// @parley/inbox. See README.md.
export { openInbox, type Inbox, type InboxState } from './inbox.ts';
export type { Connection, Item, InboxOptions } from './shared.ts';
export type { InboxFilter } from './changes.ts';
