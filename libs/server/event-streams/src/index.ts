// Server-sent events about changes in a database, for clients of every replica. See README.md.
export { createStreamNotifier, type StreamNotifier } from './bell.ts';
export { type StreamEvent } from './frames.rules.ts';
export { streamEnv } from './stream-env.ts';
export { createStreamReply, type StreamRequest } from './open-stream.ts';
export {
  continuePosition,
  formatPosition,
  isCurrent,
  parsePosition,
  type Epochs,
  type ClientPosition,
} from './positions.rules.ts';
export { raiseEpoch, readSnapshot, WRITTEN_BY } from './snapshot.ts';
export type { HubEvent, HubSource } from './hub-source.ts';
export { createStreamHub, type StreamHub } from './stream-hub.ts';
export { createTicket, OLD_TICKETS, ticketCredential } from './stream-tickets.ts';
