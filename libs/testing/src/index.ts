// Shared by tests: a database, a queue prefix, waiting, a receiver, a log for assertions. See
// README.md.
export { capturedLog } from './captured-log.ts';
export type { CapturedLog } from './captured-log.ts';
export { findChromium } from './chromium.ts';
export { readCommandLine, refuseCommandLine } from './command-line.ts';
export { eventually } from './eventually.ts';
export { receiver } from './receiver.ts';
export type { Answer, ReceivedRequest, Receiver } from './receiver.ts';
export { emptyAuditLog } from './empty-audit-log.ts';
export { tcpProxy } from './tcp-proxy.ts';
export type { TcpProxy } from './tcp-proxy.ts';
export { SERVICES, createTestDatabase, ensureTemplate } from './test-database.ts';
export type { ServiceName } from './test-database.ts';
export { resolveReference } from './resolve-reference.ts';
export { testQueue } from './test-queue.ts';
export { testPostgresUrl, testRedisUrl } from './test-servers.ts';
export { generatedBlock, markdownTable } from './generated-block.ts';
export { generatedFile } from './generated-file.ts';
export { fakeGateway } from './fake-gateway.ts';
export type { ChatRequest, FakeGateway, GatewayAnswer } from './fake-gateway.ts';
export { oneCalls } from './one-call.ts';
export { loopbackCertificate } from './loopback-certificate.ts';
export { pushService } from './push-service.ts';
export type { PushService, TestSubscription } from './push-service.ts';
export { fakeMailServer } from './fake-mail-server.ts';
export type { FakeMailServer } from './fake-mail-server.ts';
export { fakeSendGrid } from './fake-sendgrid.ts';
export type { FakeSendGrid } from './fake-sendgrid.ts';
