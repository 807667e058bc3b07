// Event types, delivery states and failures with their explanations. The compiler checks that none
// is missing.
import type { components, operations } from '@parley/sdk/voice-api';

type DeliveryQuery = NonNullable<operations['listDeliveries']['parameters']['query']>;
export type EventType = NonNullable<DeliveryQuery['event']>;
export type DeliveryStatus = components['schemas']['Delivery']['status'];

const EVENTS: Readonly<Record<EventType, string>> = {
  'conversation.started': 'A conversation with a bot starts',
  'conversation.ended': 'A conversation ends, with end reason, duration and transcript',
  'conversation.error': 'An error occurs in a conversation',
  'transcript.ready': 'The transcript is complete and final',
  'speech.interim': 'Interim speech recognition; frequent, and replaced by the next one',
  'speech.final': 'The caller finishes an utterance',
  'bot.message': 'The bot says something',
  'conversation.deleted': 'A conversation is erased: erase your copies',
};
export const EVENT_TYPES = Object.keys(EVENTS) as [EventType, ...EventType[]];
export const describeEvent = (event: EventType): string => EVENTS[event];

export type ErrorClass = NonNullable<components['schemas']['DeliveryAttempt']['error_class']>;
const ERRORS: Readonly<Record<ErrorClass, true>> = {
  http_status: true,
  timeout: true,
  connect_refused: true,
  connection_lost: true,
  dns_error: true,
  tls_error: true,
  blocked_address: true,
  too_large: true,
  invalid_request: true,
};
export const ERROR_CLASSES = Object.keys(ERRORS) as [ErrorClass, ...ErrorClass[]];

const STATUSES: Readonly<Record<DeliveryStatus, string>> = {
  pending: 'An attempt is scheduled or in flight',
  delivered: 'The receiver answered with 2xx',
  skipped: 'The webhook was disabled; you can replay the delivery',
  superseded: 'A newer interim event of the same turn replaced it',
  exhausted: 'All attempts failed; you can replay the delivery',
  canceled: 'The webhook was deleted',
  quarantined: 'Workers crashed on it; an operator can release it',
};
export const DELIVERY_STATUSES = Object.keys(STATUSES) as [DeliveryStatus, ...DeliveryStatus[]];
export const describeStatus = (status: DeliveryStatus): string => STATUSES[status];
