// Signing in to the console. See README.md.
export { linkContent, requestLink, serviceKeys, type ServiceKeys } from './link.ts';
export { createTickets, type Tickets } from './tickets.ts';
export { askForSessions, operatorRequest, type ListedSession, type OperatorRequest } from './operator.ts';
