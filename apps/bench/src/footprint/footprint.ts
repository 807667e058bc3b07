// What one process of a service takes: the time from its start until it can serve, and its memory,
// fresh and under its own kind of load.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceName } from '@parley/dev/stack';
import { cpuSecondsOf } from '../cpu-time.ts';
import { residentMemory } from '../resident-memory.ts';
import { withServiceStack, type ServiceStack } from '../service-stack.ts';
import { median } from '../statistics.ts';
import type { Part, Setting } from '../suites.ts';
import { conversationTraffic, notificationTraffic, turnTraffic, type Traffic } from './traffic.ts';

/**
 * What runs once after a start has run by then: first rounds of the sweepers, connections to both
 * stores.
 */
const SETTLES_WITHIN_MS = 5_000;
const LOADED_SECONDS = 20;
const MEGABYTE = 1_000_000;
const IDLE_MB_MAX = 150;
const BUSY_MB_MAX = 300;

function footprintPart(
  service: ServiceName,
  open: (setting: Setting, stack: ServiceStack) => Promise<Traffic>,
): Part {
  return {
    title: service,
    open: (setting, _measure, tell) =>
      withServiceStack(service, setting, async (stack) => {
        const traffic = await open(setting, stack);
        const startUps: number[] = [];
        const startUpCpu: number[] = [];
        const idle: number[] = [];
        const busy: number[] = [];
        for (let round = 0; round < setting.rounds; round += 1) {
          setting.signal.throwIfAborted();
          const started = await stack.startService('all', traffic.env ? { env: traffic.env } : {});
          startUps.push(started.readyAfterMs);
          startUpCpu.push(cpuSecondsOf(started.process.pid) * 1000);
          await sleep(SETTLES_WITHIN_MS);
          idle.push(residentMemory(started.process.pid).bytes / MEGABYTE);
          await traffic.load(started, LOADED_SECONDS);
          busy.push(residentMemory(started.process.pid).peakBytes / MEGABYTE);
          await started.process.stop();
        }
        tell({
          title: `Footprint of ${service}, ROLE=all`,
          figures: [
            { name: 'start-up, to ready', value: median(startUps), unit: 'ms' },
            { name: 'start-up, CPU', value: median(startUpCpu), unit: 'ms' },
            { name: 'memory, idle', value: median(idle), unit: 'MB', atMost: IDLE_MB_MAX },
            { name: 'memory, busy (peak)', value: median(busy), unit: 'MB', atMost: BUSY_MB_MAX },
          ],
          note:
            `medians of ${setting.rounds} processes; resident set, ${SETTLES_WITHIN_MS / 1000} s after the start and after ` +
            `${LOADED_SECONDS} s of ${traffic.described}`,
        });
      }),
  };
}

export const footprintParts: readonly Part[] = [
  footprintPart('flow-builder', turnTraffic),
  footprintPart('voice-api', conversationTraffic),
  footprintPart('notifications', notificationTraffic),
];
