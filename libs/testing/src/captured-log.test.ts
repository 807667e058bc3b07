import { expect, test } from '@jest/globals';
import pino from 'pino';
import { capturedLog } from './captured-log.ts';

test('stores what pino writes, as lines and as text', () => {
  const captured = capturedLog();
  const log = pino({ base: null, messageKey: 'event' }, captured);
  log.info({ turn: 1 }, 'turn.executed');
  log.warn('something else');
  expect(captured.lines()).toHaveLength(2);
  expect(captured.with('turn.executed')).toEqual([expect.objectContaining({ level: 30, turn: 1 })]);
  expect(captured.text()).toContain('something else');
});
