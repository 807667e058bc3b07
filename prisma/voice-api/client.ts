// The one way to the generated Prisma client of voice-api: nothing else imports from ./generated.
export * from './generated/client.ts';
