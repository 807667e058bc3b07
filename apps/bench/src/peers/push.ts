// A broadcast on one core against `web-push`.
import { withServiceStack } from '../service-stack.ts';
import type { Part } from '../suites.ts';
import { openBroadcast } from '../notifications/broadcast.ts';

export const pushPart: Part = {
  title: 'web-push',
  open: (setting, measure, tell) =>
    withServiceStack('notifications', setting, async (stack) => {
      const bench = await openBroadcast(setting, stack);
      await bench.addDevices();
      await bench.compare({ title: 'one core', isPinned: true, threads: 0, atLeast: 5 }, measure, tell);
    }),
};
