// Server-sent events of what happens in a database, told to clients of every replica. See README.md.
export { createBell, type Bell } from './bell.ts';
export { positionOf, type StreamEvent } from './frames.rules.ts';
export { openStreamOf, type StreamRequest } from './open-stream.ts';
export { readSnapshot, type Snapshot } from './snapshot.ts';
export type { HubEvent, HubSource } from './hub-source.ts';
export { createStreamHub, type AllowedStreams, type StreamHub } from './stream-hub.ts';
export { makeTicket, OLD_TICKETS, ticketCredential } from './stream-tickets.ts';
