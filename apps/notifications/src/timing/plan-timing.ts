// When each channel of a send is due, and what is asked before it is attempted. Nothing is written here.
import { createHash } from 'node:crypto';
import type { FieldProblem } from '@parley/envelopes';
import type { ChannelName } from '@parley/queues';
import type { OfSend } from '../notify/delivery-plan.ts';
import type { NotifyRequest } from '../notify/request/notify-request.ts';
import { allowedFrom, disturbs, hoursProblem, type Hours } from './hours.ts';

/** What is decided when the send is written, in its transaction. */
export interface Timed {
  readonly throttle?: { readonly key: Buffer; readonly until: Date } | undefined;
  readonly digest?:
    { readonly fingerprint: Buffer; readonly closesAt: Date; readonly data: string } | undefined;
}

export interface Timing {
  readonly problems: readonly FieldProblem[];
  readonly timed: Timed | undefined;
  /** In the order of the request. */
  readonly channels: readonly TimedChannel[];
}

export interface TimedChannel {
  readonly name: ChannelName;
  /** Null: as soon as it is accepted. */
  readonly dueAt: Date | null;
  readonly ofSend: Omit<OfSend, 'words'>;
}

export interface TimingFacts {
  readonly nowMs: number;
  /** Of a scheduled send. */
  readonly sendAt: Date | null;
  /** The recipient's, where there is one. */
  readonly timeZone: string | undefined;
  /** The template as it was found. */
  readonly template: OfSend['digest'];
}

export function timingOf(request: NotifyRequest, facts: TimingFacts): Timing {
  const { digest, throttle, steps = [], expires_at: expiresAt } = request;
  const { nowMs } = facts;
  const closesAt = digest && new Date(nowMs + digest.window * 1_000);
  const baseAt = closesAt ?? facts.sendAt;
  const problems: FieldProblem[] = [];
  if (closesAt && expiresAt && expiresAt <= closesAt)
    problems.push({ path: '/expires_at', message: 'must be after the window of the digest' });
  const hours = hoursOf(request, facts.timeZone, problems);
  const timed = (name: ChannelName, afterMs: number, unless: OfSend['unless']): TimedChannel => {
    const asked = afterMs > 0 ? new Date((baseAt?.getTime() ?? nowMs) + afterMs) : baseAt;
    const held = hours && disturbs(name) ? hours : undefined;
    const fromMs = asked?.getTime() ?? nowMs;
    const allowedMs = held ? (allowedFrom(held, fromMs) ?? fromMs) : fromMs;
    const dueAt = allowedMs > fromMs ? new Date(allowedMs) : asked;
    const own = dueAt !== null && dueAt.getTime() !== facts.sendAt?.getTime();
    return {
      name,
      dueAt,
      ofSend: {
        ...(own ? { due_at: dueAt.getTime() } : {}),
        ...(held ? { hours: held } : {}),
        ...(unless ? { unless } : {}),
        ...(digest ? { digest: facts.template } : {}),
      },
    };
  };
  return {
    problems,
    timed:
      throttle || digest
        ? {
            throttle: throttle && {
              key: hashOf(throttle.key),
              until: new Date(nowMs + throttle.per * 1_000),
            },
            digest: digest && {
              fingerprint: fingerprintOf(request, facts.template),
              closesAt: closesAt!,
              data: JSON.stringify(request.template?.data ?? {}),
            },
          }
        : undefined,
    channels: [
      ...request.channels.map((name) => timed(name, 0, undefined)),
      ...steps.flatMap(({ channels, after, unless }) =>
        channels.map((name) => timed(name, after * 1_000, unless)),
      ),
    ],
  };
}

function hoursOf(
  { timezone, quiet_hours: quiet, send_window: window }: NotifyRequest,
  timeZone: string | undefined,
  problems: FieldProblem[],
): Hours | undefined {
  if (!quiet && !window) return undefined;
  const zone = timezone ?? timeZone;
  if (zone === undefined) {
    problems.push({ path: '/timezone', message: 'is required, since the recipient has none' });
    return undefined;
  }
  const hours = { timezone: zone, quiet, window };
  if (hoursProblem(hours)) {
    problems.push({ path: '/send_window', message: 'lies within quiet_hours' });
    return undefined;
  }
  return hours;
}

/** Sends become one only where all that is sent is the same but for the data: nobody gets what was meant for somebody else. */
function fingerprintOf(request: NotifyRequest, template: OfSend['digest']): Buffer {
  const { digest, channels, steps, target, category, quiet_hours: quiet, send_window: window } = request;
  const { timezone, locale, callback_url: callback, track } = request;
  return hashOf(
    JSON.stringify([
      digest!.key,
      channels,
      steps ?? [],
      target,
      template,
      [category ?? null, quiet ?? null, window ?? null, timezone ?? null, locale ?? null, callback ?? null],
      ...(track ? [track] : []),
    ]),
  );
}

function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
