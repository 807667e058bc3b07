// The names of the three services. (libs/testing has its own list, because the tests of this
// library use it.)

export const SERVICES = ['flow-builder', 'voice-api', 'notifications'] as const;
export type ServiceName = (typeof SERVICES)[number];
