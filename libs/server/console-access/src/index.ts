// Signing in to the console. See README.md.
export { linkContent, requestLink, serviceKeys, type LinkRequest, type ServiceKeys } from './link.ts';
export { createTickets, type TicketKind, type Tickets } from './tickets.ts';
export { askForSessions, operatorRequest, type ListedSession, type OperatorRequest } from './operator.ts';
