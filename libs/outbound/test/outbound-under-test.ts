// An Outbound for tests: the test's listener on loopback counts as public, nothing else of this
// machine does.
import { pino } from 'pino';
import { capturedLog, type CapturedLog } from '@parley/testing';
import { createAddressPolicy, createOutbound, type Outbound, type OutboundOptions } from '../src/index.ts';

export interface OutboundUnderTest extends Outbound {
  readonly log: CapturedLog;
}

export function outboundUnderTest(
  options: Partial<Omit<OutboundOptions, 'log'>> & {
    readonly allow?: readonly string[];
    readonly ports?: readonly number[];
  } = {},
): OutboundUnderTest {
  const log = capturedLog();
  const { allow = ['127.0.0.1'], ports = [443], ...rest } = options;
  const outbound = createOutbound({
    policy: createAddressPolicy({ allow, ports }),
    log: pino({ messageKey: 'event', base: null }, log),
    ...rest,
  });
  return Object.assign(outbound, { log });
}
