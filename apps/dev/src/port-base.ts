// PORT_BASE: the port of the first service; the other two follow it
// (docs/platform.md#development-stack), then the receiver of the demo webhook. The console has the
// one before. Pure.
import { CommandError } from './run-command.ts';

const PORT_BASE_DEFAULT = 3001;
const PORT_BASE_MIN = 2;
const PORT_BASE_MAX = 65_535 - 3;

export function portBase(env: Readonly<Record<string, string | undefined>>): number {
  const text = env['PORT_BASE'];
  if (text === undefined || text === '') return PORT_BASE_DEFAULT;
  const port = Number(text);
  if (Number.isInteger(port) && port >= PORT_BASE_MIN && port <= PORT_BASE_MAX) return port;
  throw new CommandError(
    `PORT_BASE must be a whole number from ${PORT_BASE_MIN} to ${PORT_BASE_MAX}, not "${text}".`,
  );
}
