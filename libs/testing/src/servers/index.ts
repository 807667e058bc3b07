// Servers of a test or of a developer's machine, each in a process of its own. See README.md.
export { findUnpacked, hasApt, unpack, type DebianProgram, type Program } from './apt-package.ts';
export {
  startEmbeddedPostgres,
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
} from './embedded-postgres.ts';
export { fakeClock } from './faketime.ts';
export { FolderLocked, lockFolder, lockHolder, withFolderLock } from './folder-lock.ts';
export { nginxHere, startNginx, type Nginx } from './nginx.ts';
export { freePort, LOOPBACK, refuseTakenPorts } from './ports.ts';
export { outsidePlace } from './postgres-binaries.ts';
export { commandLine, processIdentity } from './processes/process-identity.ts';
export { openLedger, type ProcessLedger } from './processes/process-ledger.ts';
export { restartable, type Restartable } from './processes/restartable.ts';
export { describeExit, startProcess, type Exit, type RunningProcess } from './processes/start-process.ts';
export { createStopOrder, type StopOrder, type UnexpectedEnd } from './processes/stop-order.ts';
export {
  debianRedis,
  findRedisOnPath,
  pingRedis,
  redisUsers,
  startRedis,
  type RedisProgram,
  type RedisServer,
} from './redis-server.ts';
export { startRedisTopology, type RedisTopology, type RedisTopologyKind } from './redis-topology.ts';
export { lineReport, silentReport, type Report } from './report.ts';
export { runStep, SETUP_WITHIN_MS } from './setup-step.ts';
