// What an organisation may ask of a service, and how much it may have there. See README.md.
export type { Caps } from './caps.ts';
export { createLimits, type Limits, type LimitTimes, type ServiceLimits } from './limits.ts';
export { inFlightKey, limitsPrefix, logKey } from './limit-script.ts';
export { organizationEndpoint } from './organization-endpoint.ts';
export { createHeavyThreads, type HeavyThreads } from './heavy-threads.ts';
