// @parley/inbox/react. See README.md.
export { Inbox, type InboxProps } from './inbox.tsx';
export { InboxPanel, type InboxPanelProps, type InboxView } from './panel.tsx';
export { InboxPreferences } from './preferences.tsx';
export { InboxProvider, type InboxProviderProps } from './provider.tsx';
export { useInbox, usePreferences, type PreferencesHook } from '../headless.tsx';
export type { ItemAction } from './item.tsx';
export type { InboxLocalization } from './localization.ts';
export type { InboxActions } from '../views.ts';
