// `.parley/dev.json`: what other programs need to know of the running stack
// (docs/platform.md#development-stack).
import { rmSync } from 'node:fs';
import type { DevelopmentIdentity } from '@parley/auth';
import { writePrivately, type ServiceName, type Stack } from './stack/index.ts';

export interface DevFile {
  readonly organization_id: string;
  readonly services: Record<ServiceName, { readonly base_url: string; readonly api_key: string }>;
  /** `sign_in_url` works once, within ten minutes of the start. */
  readonly console: { readonly base_url: string; readonly sign_in_url: string };
  /** For `parley token mint`; absent where the environment names an identity provider. */
  readonly identity?: DevelopmentIdentity;
  readonly queue_url: string;
  readonly postgres_url: string;
  /** By name; `launcher` is the process that stops all others. */
  readonly pids: Record<string, number>;
}

/**
 * Written as a whole, readable by its owner only, when every service is ready: a program that finds
 * the file can use it.
 */
export function writeDevFile(
  path: string,
  stack: Stack,
  console: DevFile['console'],
  launcherPid: number,
): void {
  writePrivately(path, `${JSON.stringify(devFile(stack, console, launcherPid), null, 2)}\n`);
}

/**
 * Removed when the stack stops, and before a new one starts: a killed launcher leaves its file
 * behind.
 */
export function removeDevFile(path: string): void {
  rmSync(path, { force: true });
}

function devFile(stack: Stack, console: DevFile['console'], launcherPid: number): DevFile {
  const services = Object.fromEntries(
    Object.entries(stack.services).map(([name, { baseUrl, apiKey }]) => [
      name,
      { base_url: baseUrl, api_key: apiKey },
    ]),
  ) as DevFile['services'];
  return {
    organization_id: stack.organizationId,
    services,
    console,
    ...(stack.identity && { identity: stack.identity }),
    queue_url: stack.queueUrl,
    postgres_url: stack.postgresUrl,
    pids: { launcher: launcherPid, ...stack.pids },
  };
}
