// The three services by name. (testkit has its own list: the tests of this library use testkit, and a library below it may not be
// used by it.)

export const SERVICES = ['flow-builder', 'voice-api', 'notifications'] as const;
export type ServiceName = (typeof SERVICES)[number];
