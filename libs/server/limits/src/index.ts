// How much an organisation may request from a service, and store there. See README.md.
export { createHeavyThreads } from './heavy-threads.ts';
export { createLimits, type Limits, type LimitTimes, type ServiceLimits } from './limits.ts';
export { buildInFlightKey, buildLimitsPrefix, buildLogKey } from './limit-script.ts';
export { organizationEndpoint } from './organization-endpoint.ts';
export { MEASURE_EVERY_MS, type StorageCrossing } from './storage.ts';
