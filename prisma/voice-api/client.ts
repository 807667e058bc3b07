// The rows of voice-api as types, made from its schema. Types only: services speak SQL, and never
// load Prisma's client.
export type * from './generated/client.ts';
