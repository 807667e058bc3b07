// Counts conversation events by outcome.
import type { Metrics } from '@parley/metrics';

export type CountEvents = (counts: { accepted: number; duplicates: number; rejected: number }) => void;

export function eventCounter(metrics: Metrics): CountEvents {
  const events = metrics.counter(
    'conversation_events_total',
    'Conversation events by outcome: accepted, duplicate, rejected',
    ['outcome'],
  );
  return ({ accepted, duplicates, rejected }) => {
    events.inc({ outcome: 'accepted' }, accepted);
    events.inc({ outcome: 'duplicate' }, duplicates);
    events.inc({ outcome: 'rejected' }, rejected);
  };
}
