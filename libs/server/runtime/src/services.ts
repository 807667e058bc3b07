// The names of the three services. (testkit has its own list, because the tests of this library use
// testkit.)

export const SERVICES = ['flow-builder', 'voice-api', 'notifications'] as const;
export type ServiceName = (typeof SERVICES)[number];
