// The texts of the portal.

export interface PortalLocalization {
  readonly title: string;
  readonly loading: string;
  readonly expired: string;
  readonly retryLoading: string;
  readonly empty: string;
  readonly add: string;
  readonly back: string;
  readonly cancel: string;
  readonly address: string;
  readonly addressHint: string;
  readonly description: string;
  readonly eventTypes: string;
  readonly everyEvent: string;
  readonly save: string;
  readonly edit: string;
  readonly enable: string;
  readonly disable: string;
  readonly remove: string;
  readonly confirmRemove: string;
  readonly active: string;
  readonly disabled: string;
  readonly delivered: (rate: string) => string;
  readonly secret: string;
  readonly secretOnce: string;
  readonly rotate: string;
  readonly rotateHint: string;
  readonly copy: string;
  readonly copied: string;
  readonly signature: string;
  readonly signatureHint: string;
  readonly test: string;
  readonly testType: string;
  readonly tested: (status: number | null, ms: number) => string;
  readonly testFailed: (reason: string) => string;
  readonly deliveries: string;
  readonly noDeliveries: string;
  readonly status: string;
  readonly everyStatus: string;
  readonly event: string;
  readonly created: string;
  readonly attempts: string;
  readonly more: string;
  readonly statuses: Readonly<Record<DeliveryStatus, string>>;
  readonly retry: string;
  readonly replay: string;
  readonly replayHint: string;
  readonly replayPeriod: string;
  readonly hours: (hours: number) => string;
  readonly replayed: (count: number) => string;
  readonly payload: string;
  readonly payloadGone: string;
  readonly noAttempts: string;
  readonly attempt: (number: number) => string;
  readonly answer: string;
  readonly milliseconds: (ms: number) => string;
}

export type DeliveryStatus =
  'pending' | 'delivered' | 'skipped' | 'superseded' | 'exhausted' | 'canceled' | 'quarantined';

export const ENGLISH: PortalLocalization = {
  title: 'Webhooks',
  loading: 'Loading …',
  expired: 'Your session has ended. Reload the page to continue.',
  retryLoading: 'Try again',
  empty: 'No webhooks yet. A webhook sends events to your server. Each request is signed.',
  add: 'Add webhook',
  back: 'Back',
  cancel: 'Cancel',
  address: 'Address',
  addressHint: 'The https address of your server',
  description: 'Description',
  eventTypes: 'Event types',
  everyEvent: 'All events, including future ones',
  save: 'Save webhook',
  edit: 'Edit webhook',
  enable: 'Enable webhook',
  disable: 'Disable webhook',
  remove: 'Delete webhook',
  confirmRemove: 'Delete it with all deliveries',
  active: 'Active',
  disabled: 'Disabled',
  delivered: (rate) => `${rate} of attempts succeeded in 24 hours`,
  secret: 'Signing secret',
  secretOnce: 'Copy the secret now. It is not shown again.',
  rotate: 'Rotate secret',
  rotateHint: 'Creates a new secret. The old one also signs for 24 hours.',
  copy: 'Copy secret',
  copied: 'Copied',
  signature: 'Verify signatures',
  signatureHint: 'Verify the raw body before you parse it. Replace the secret of the example.',
  test: 'Send test event',
  testType: 'Event type of the test',
  tested: (status, ms) => `Your server answered ${status ?? ''} in ${ms} ms.`,
  testFailed: (reason) => `The test event did not arrive: ${reason}`,
  deliveries: 'Deliveries',
  noDeliveries: 'No deliveries. They appear when events occur.',
  status: 'Status',
  everyStatus: 'All',
  event: 'Event',
  created: 'Created',
  attempts: 'Attempts',
  more: 'Show more',
  statuses: {
    pending: 'Pending',
    delivered: 'Delivered',
    skipped: 'Skipped',
    superseded: 'Superseded',
    exhausted: 'Failed',
    canceled: 'Canceled',
    quarantined: 'On hold',
  },
  retry: 'Retry delivery',
  replay: 'Replay missed events',
  replayHint: 'Sends events again that did not arrive.',
  replayPeriod: 'Period',
  hours: (hours) =>
    hours === 1 ? 'Last hour' : hours < 48 ? `Last ${hours} hours` : `Last ${hours / 24} days`,
  replayed: (count) => (count === 1 ? '1 event is sent again.' : `${count} events are sent again.`),
  payload: 'Payload',
  payloadGone: 'The event is no longer stored.',
  noAttempts: 'No attempts yet.',
  attempt: (number) => `Attempt ${number}`,
  answer: 'Answer',
  milliseconds: (ms) => `${ms} ms`,
};
