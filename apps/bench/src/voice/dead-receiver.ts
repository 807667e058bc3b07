// What one dead receiver in a hundred does to the others (docs/voice-api.md#pacing): it takes
// connections and never answers.
import { median, quantileOf } from '../statistics.ts';
import type { Part } from '../suites.ts';
import { WEBHOOK_SECRET, startReceiver } from './receiver.ts';
import { steadyLoad, type Steady } from './steady-load.ts';
import { call, withVoiceStack } from './voice-stack.ts';

/** An organisation may have fifty. */
const WEBHOOKS_PER_ORGANIZATION = 50;
const ORGANIZATIONS = 2;
/**
 * Five hundred deliveries a second: far from what a worker can do, so that what is seen is the dead
 * one and not the load.
 */
const MESSAGES_PER_SECOND = 5;
const SECONDS = 5;
const P99_RATIO_MAX = 1.1;
const DEAD = '/hook/0/0';

export const deadReceiverPart: Part = {
  title: 'dead receiver',
  open: (setting, _measure, tell) =>
    withVoiceStack(setting, async (stack) => {
      const receiver = await startReceiver(setting.env);
      stack.onStop(() => receiver.stop());
      const intake = await stack.startService('http');
      await stack.startService('worker');
      const keys = [
        stack.apiKey,
        ...Array.from({ length: ORGANIZATIONS - 1 }, (_, index) => stack.addOrganization(`bench-${index}`)),
      ];
      for (const [organization, apiKey] of keys.entries()) {
        for (let index = 0; index < WEBHOOKS_PER_ORGANIZATION; index += 1) {
          await call('POST', `${intake.baseUrl}/webhooks`, apiKey, {
            url: `${receiver.origin}/hook/${organization}/${index}`,
            events: ['bot.message'],
            secret: WEBHOOK_SECRET,
          });
        }
      }
      const load = async (name: string, dead: boolean): Promise<Steady> => {
        setting.signal.throwIfAborted();
        await receiver.die(dead ? [DEAD] : []);
        return steadyLoad({
          name,
          senders: keys.map((apiKey, index) => ({
            baseUrl: intake.baseUrl,
            apiKey,
            deliveriesPerMessage: WEBHOOKS_PER_ORGANIZATION - (dead && index === 0 ? 1 : 0),
          })),
          messagesPerSecond: MESSAGES_PER_SECOND,
          seconds: SECONDS,
          receiver,
        });
      };

      await load('warm', false);
      const alive: number[] = [];
      const withDead: number[] = [];
      // Healthy rounds first: what was sent to the dead one comes again a minute later, in bursts
      // of its own.
      for (let round = 0; round < setting.rounds; round += 1) {
        alive.push(quantileOf((await load(`alive-${round}`, false)).fromSending, 0.99));
      }
      for (let round = 0; round < setting.rounds; round += 1) {
        withDead.push(quantileOf((await load(`dead-${round}`, true)).fromSending, 0.99));
      }
      tell({
        title: `One dead receiver of ${ORGANIZATIONS * WEBHOOKS_PER_ORGANIZATION}, ${ORGANIZATIONS * WEBHOOKS_PER_ORGANIZATION * MESSAGES_PER_SECOND} deliveries a second`,
        figures: [
          { name: 'p99 of the healthy, all alive', value: median(alive), unit: 'ms' },
          { name: 'p99 of the healthy, one dead', value: median(withDead), unit: 'ms' },
          {
            name: 'one dead / all alive',
            value: median(withDead) / median(alive),
            unit: 'x',
            atMost: P99_RATIO_MAX,
          },
        ],
        note:
          `medians of ${setting.rounds} times ${SECONDS} s; from the sending of the event to its arrival; the dead one takes connections ` +
          'and never answers',
      });
    }),
};
