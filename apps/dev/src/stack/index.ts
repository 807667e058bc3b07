// Starts servers on a developer's machine. See README.md.
export { BUNDLE_SETTINGS, BUNDLED_APPS, bundleApps } from './bundle.ts';
export type { BundledApp, BundleOptions } from './bundle.ts';
export { generateClients } from './generate-clients.ts';
export { LANGUAGES_FOLDER, generateLanguages } from './generate-languages.ts';
export { generateSdkTypes } from './generate-sdk-types.ts';
export { planQueueEngine, type QueueEngine, type QueuePlan } from './stores/queue-engine.ts';
export { assembleRelease, refusePackagesAbove, releasePlace } from './release.ts';
export type { ImageName, Programs } from './release.ts';
export { readJson, writePrivately } from './secret-files.ts';
export { SERVICES, SERVICE_FACTS, schemaDir } from './services.ts';
export type { ServiceName } from './services.ts';
export { mintToken } from './page-access.ts';
export { removeAbandonedHomes, removeHome } from './throwaway-home.ts';
export { LOOPBACK_RECEIVERS, startStack } from './start-stack.ts';
export type { ReplicaOptions, Stack, StackOptions, StackService } from './start-stack.ts';
export type { StackConsole } from './start-console.ts';
export { NODE_FLAGS, untilReady } from './processes/service-process.ts';
export type { RunningService } from './processes/service-process.ts';
