// The events that a webhook may be told, with what they say; the compiler holds both lists against the API's description.
import type { components, operations } from '@parley/sdk/voice-api';

type DeliveryQuery = NonNullable<operations['listDeliveries']['parameters']['query']>;
export type EventType = NonNullable<DeliveryQuery['event']>;
export type DeliveryStatus = components['schemas']['Delivery']['status'];

const EVENTS: Readonly<Record<EventType, string>> = {
  'conversation.started': 'Somebody is talking to a bot',
  'conversation.ended': 'It is over: why, how long it took, and what was said',
  'conversation.error': 'Something failed in it',
  'transcript.ready': 'The transcript is whole and will not change',
  'speech.interim': 'What the caller seems to be saying; often, and overtaken by the next',
  'speech.final': 'What the caller said',
  'bot.message': 'What the bot said',
  'conversation.deleted': 'It was erased: erase your copies',
};
export const EVENT_TYPES = Object.keys(EVENTS) as [EventType, ...EventType[]];
export const wordsOf = (event: EventType): string => EVENTS[event];

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
  pending: 'An attempt is planned or under way',
  delivered: 'The receiver answered with 2xx',
  skipped: 'The webhook was disabled when it was due; it can be replayed',
  superseded: 'A later interim of the same turn overtook it',
  exhausted: 'It failed for the last time; it can be replayed',
  canceled: 'The webhook is gone',
  quarantined: 'Workers died with it; an operator may put it back',
};
export const DELIVERY_STATUSES = Object.keys(STATUSES) as [DeliveryStatus, ...DeliveryStatus[]];
export const meaningOf = (status: DeliveryStatus): string => STATUSES[status];
