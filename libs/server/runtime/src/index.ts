// What every process needs before it does anything of its own.
export {
  flag,
  integer,
  list,
  platformEnv,
  platformRules,
  readConfig,
  REDIS_SCHEMES,
  retryWaits,
  secretReference,
  serverUrl,
  type Environment,
} from './config.ts';
export { createAddressList, isAddressBlock, isListed } from './address-list.ts';
export { lacksClaims, USUAL_CLAIMS, type IdentityClaims } from './identity-claims.ts';
export { jsonVariable } from './json-variable.ts';
export {
  createIds,
  deriveId,
  firstIdAt,
  isTimeZone,
  readIdTime,
  systemClock,
  type Clock,
  type Ids,
} from './clock.ts';
export { createFairQueue, NoPlace, type CountCpu, type FairQueue } from './fair-queue.ts';
export { createGroupCommit, type GroupCommit } from './group-commit.ts';
export { createLifecycle, STOP_DEADLINE_MS, type Lifecycle } from './lifecycle.ts';
export { createLog, ignoreFailure, type Log } from './log.ts';
export { runService, StartRefused, type ServiceStart } from './run-service.ts';
export {
  createSealer,
  isSameText,
  parseKeyring,
  seal,
  unseal,
  type Keyring,
  type Sealer,
} from './sealing.ts';
export { readBounded } from './read-bounded.ts';
export { Secret } from './secret.ts';
export { createSecrets, createSecretParser, SecretUnavailable, type Secrets } from './secrets.ts';
export { markServed } from './recently-served.ts';
export { createSlices, type Slices } from './slices.ts';
export {
  JobLate,
  JobTooCostly,
  serveJobs,
  startJobThread,
  type JobThread,
  type JobThreadOptions,
} from './job-thread.ts';
export { shippedPath } from './shipped-path.ts';
export { createThread } from './thread-of.ts';
export {
  createEvery,
  firstAnswer,
  repeat,
  retryUntilSuccess,
  throttleLog,
  type Every,
  type RepeatedTask,
} from './timing.ts';
export { TimeoutError, within } from './within.ts';
export { SERVICES, type ServiceName } from './services.ts';
