// The portal of webhooks for the customers of an organisation (docs/portal.md#the-component).
export { Portal, type PortalProps } from './portal.tsx';
export type { PortalLocalization } from './localization.ts';
