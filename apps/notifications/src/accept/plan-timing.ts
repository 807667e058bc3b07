// Plans when each channel of a send is due and what is checked before its attempt. Writes nothing.
import { createHash } from 'node:crypto';
import type { FieldProblem } from '@parley/envelopes';
import type { ChannelName } from '@parley/jobs';
import type { SendOptions } from '../deliver/send-options.ts';
import type { NotifyRequest } from './request/notify-request.ts';
import {
  findAllowedTime,
  findNextClockTime,
  isInterrupting,
  isNeverAllowed,
  type Hours,
} from '../timing/quiet-hours.ts';

/** Decided in the transaction that writes the send. */
export interface SendTiming {
  readonly throttle?: { readonly key: Buffer; readonly until: Date } | undefined;
  readonly digest?:
    { readonly fingerprint: Buffer; readonly closesAt: Date; readonly data: string } | undefined;
}

export interface Timing {
  readonly problems: readonly FieldProblem[];
  readonly timed: SendTiming | undefined;
  /** In the order of the request. */
  readonly channels: readonly ChannelTiming[];
}

export interface ChannelTiming {
  readonly name: ChannelName;
  /** Null: as soon as it is accepted. */
  readonly dueAt: Date | null;
  readonly sendOptions: Omit<SendOptions, 'words'>;
}

export interface TimingFacts {
  readonly nowMs: number;
  /** Time of a scheduled send. */
  readonly sendAt: Date | null;
  /** Of the recipient, if there is one. */
  readonly timeZone: string | undefined;
  /** The template version in use. */
  readonly template: SendOptions['digest'];
}

export function planTiming(request: NotifyRequest, facts: TimingFacts): Timing {
  const { digest, steps = [], expires_at: expiresAt } = request;
  const { nowMs } = facts;
  const problems: FieldProblem[] = [];
  const zone = resolveZone(request, facts.timeZone, problems);
  const windowEnd = digest && findWindowEnd(digest, zone, nowMs);
  const baseAt = windowEnd ?? facts.sendAt;
  if (windowEnd && expiresAt && expiresAt <= windowEnd)
    problems.push({ path: '/expires_at', message: 'must be after the window of the digest' });
  const hours = resolveHours(request, zone, problems);
  const timed = (name: ChannelName, afterMs: number, unless: SendOptions['unless']): ChannelTiming => {
    const requestedAt = afterMs > 0 ? new Date((baseAt?.getTime() ?? nowMs) + afterMs) : baseAt;
    const applicableHours = hours && isInterrupting(name) ? hours : undefined;
    const fromMs = requestedAt?.getTime() ?? nowMs;
    const allowedMs = applicableHours ? (findAllowedTime(applicableHours, fromMs) ?? fromMs) : fromMs;
    const dueAt = allowedMs > fromMs ? new Date(allowedMs) : requestedAt;
    const hasOwnTime = dueAt !== null && dueAt.getTime() !== facts.sendAt?.getTime();
    return {
      name,
      dueAt,
      sendOptions: {
        ...(hasOwnTime ? { due_at: dueAt.getTime() } : {}),
        ...(applicableHours ? { hours: applicableHours } : {}),
        ...(unless ? { unless } : {}),
        ...(digest ? { digest: facts.template } : {}),
      },
    };
  };
  const first = request.channels.map((name) => timed(name, 0, undefined));
  // Until then later sends join, also while the first channel waits for quiet hours.
  const closesAt = windowEnd && first.map(({ dueAt }) => dueAt!).sort((one, other) => +one - +other)[0];
  return {
    problems,
    timed: toSendTiming(request, facts, closesAt),
    channels: [
      ...first,
      ...steps.flatMap(({ channels, after, unless }) =>
        channels.map((name) => timed(name, after * 1_000, unless)),
      ),
    ],
  };
}

function toSendTiming(
  request: NotifyRequest,
  { nowMs, template }: TimingFacts,
  closesAt: Date | undefined,
): SendTiming | undefined {
  const { digest, throttle } = request;
  if (!throttle && !digest) return undefined;
  return {
    throttle: throttle && {
      key: computeHash(throttle.key),
      until: new Date(nowMs + throttle.per * 1_000),
    },
    digest: digest && {
      fingerprint: computeFingerprint(request, template),
      closesAt: closesAt!,
      data: JSON.stringify(request.template?.data ?? {}),
    },
  };
}

/** Undefined where nothing goes by the clock, or with a problem. */
function resolveZone(
  { timezone, quiet_hours: quiet, send_window: window, digest }: NotifyRequest,
  timeZone: string | undefined,
  problems: FieldProblem[],
): string | undefined {
  if (!quiet && !window && !digest?.at) return undefined;
  const zone = timezone ?? timeZone;
  if (zone === undefined)
    problems.push({ path: '/timezone', message: 'is required, since the recipient has no time zone' });
  return zone;
}

/** Without a zone the request is refused, and the time does not matter. */
function findWindowEnd(
  { window = 0, at }: NonNullable<NotifyRequest['digest']>,
  zone = 'UTC',
  nowMs: number,
): Date {
  return new Date(at ? findNextClockTime(zone, at, nowMs) : nowMs + window * 1_000);
}

function resolveHours(
  { quiet_hours: quiet, send_window: window }: NotifyRequest,
  zone: string | undefined,
  problems: FieldProblem[],
): Hours | undefined {
  if ((!quiet && !window) || zone === undefined) return undefined;
  const hours = { timezone: zone, quiet, window };
  if (isNeverAllowed(hours)) {
    problems.push({ path: '/send_window', message: 'lies within quiet_hours' });
    return undefined;
  }
  return hours;
}

/** Only sends that are equal but for their data join: nobody gets another person's content. */
function computeFingerprint(request: NotifyRequest, template: SendOptions['digest']): Buffer {
  const { digest, channels, steps, target, category, quiet_hours: quiet, send_window: window } = request;
  const { timezone, locale, callback_url: callback, track } = request;
  return computeHash(
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

function computeHash(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** `send_at` lies at most this far ahead. */
export const SEND_AT_MAX_MS = 30 * 24 * 60 * 60_000;

interface Times {
  readonly send_at?: Date | undefined;
  readonly expires_at?: Date | undefined;
}

/** Returns the problems of `send_at` and `expires_at`. */
export function timeProblems(
  { send_at: sendAt, expires_at: expiresAt }: Times,
  nowMs: number,
): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (sendAt && sendAt.getTime() > nowMs + SEND_AT_MAX_MS)
    problems.push({ path: '/send_at', message: 'must be at most 30 days ahead' });
  if (expiresAt && expiresAt.getTime() <= nowMs)
    problems.push({ path: '/expires_at', message: 'must be in the future' });
  else if (expiresAt && sendAt && expiresAt <= sendAt)
    problems.push({ path: '/expires_at', message: 'must be after send_at' });
  return problems;
}

/** Null for a send that goes out at once, which includes times in the past. */
export function scheduledFor(sendAt: Date | undefined, nowMs: number): Date | null {
  return sendAt && sendAt.getTime() > nowMs ? sendAt : null;
}
