// The common part of the three services: configuration, connections, HTTP side, queue side.
export { publicUrl, serviceConfig } from './config.ts';
export { createServiceApp } from './http-side.ts';
export { createPlatform, type Platform } from './platform.ts';
export { watchPartitions } from './watch-partitions.ts';
export { openQueueSide, startInbox, startWorkerSide, type QueueSide } from './queue-side.ts';
