// The one way to the generated Prisma client of flow-builder: nothing else imports from ./generated.
export * from './generated/client.ts';
