// The common part of the three services: configuration, connections, HTTP side, queue side.
export { serviceConfig, type PlatformConfig } from './config.ts';
export { createServiceApp, type HttpSide } from './http-side.ts';
export { createPlatform, type Platform, type Transact } from './platform.ts';
export { openQueueSide, startWorkerSide, type QueueSide } from './queue-side.ts';
