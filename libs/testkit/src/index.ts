// What tests share: a database, a queue prefix, waiting, a receiver, a log to look into. See README.md.
export { capturedLog } from './captured-log.ts';
export type { CapturedLog, LogLine } from './captured-log.ts';
export { eventually } from './eventually.ts';
export type { EventuallyOptions } from './eventually.ts';
export { receiver } from './receiver.ts';
export type { Answer, ReceivedRequest, Receiver } from './receiver.ts';
export { SERVICES, createTestDatabase, ensureTemplate, templateName } from './test-database.ts';
export type { ServiceName } from './test-database.ts';
export { testQueue } from './test-queue.ts';
export { testPostgresUrl, testRedisUrl } from './test-servers.ts';
export { generatedBlock, markdownTable } from './generated-block.ts';
export { fakeGateway } from './fake-gateway.ts';
export type { ChatRequest, FakeGateway, GatewayAnswer } from './fake-gateway.ts';
