// The one way to the generated Prisma client of notifications: nothing else imports from ./generated.
export * from './generated/client.ts';
