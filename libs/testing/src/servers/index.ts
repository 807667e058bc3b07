// Servers of a test or of a developer's machine, each in a process of its own. See README.md.
export { hasApt } from './apt-package.ts';
export { startEmbeddedPostgres, type EmbeddedPostgres } from './embedded-postgres.ts';
export { fakeClock } from './faketime.ts';
export { FolderLocked, lockFolder, lockHolder, withFolderLock } from './folder-lock.ts';
export { nginxHere, startNginx, type Nginx } from './nginx.ts';
export { freePort, LOOPBACK, refuseTakenPorts } from './ports.ts';
export { startPgBouncer, type PgBouncerOptions } from './pgbouncer.ts';
export { outsidePlace } from './postgres-binaries.ts';
export { processIdentity } from './processes/process-identity.ts';
export { openLedger, type ProcessLedger } from './processes/process-ledger.ts';
export { type Restartable } from './processes/restartable.ts';
export { describeExit, startProcess, type RunningProcess } from './processes/start-process.ts';
export { createStopOrder, type StopOrder, type UnexpectedEnd } from './processes/stop-order.ts';
export {
  debianRedis,
  findRedisOnPath,
  pingRedis,
  redisForTests,
  redisUsers,
  startRedis,
  type RedisProgram,
  type RedisServer,
} from './redis-server.ts';
export { startRedisTopology, type RedisTopology } from './redis-topology.ts';
export { lineReport, silentReport, type Report } from './report.ts';
export { runStep, SETUP_WITHIN_MS } from './setup-step.ts';
