// The voice API as the parts of this folder measure it: the stack of service-stack.ts, with what
// they ask of it.
import { addOrganization } from '../add-organization.ts';
import { withServiceStack, type MeasuredService, type ServiceStack } from '../service-stack.ts';
import type { Setting } from '../suites.ts';

export interface VoiceService extends MeasuredService {
  /** Ends in /v1. */
  readonly baseUrl: string;
}

export interface VoiceStack extends Omit<ServiceStack, 'startService'> {
  startService(role: 'http' | 'worker' | 'all'): Promise<VoiceService>;
  /** Another organisation without limits; an admin key of it. */
  addOrganization(id: string): string;
}

export function withVoiceStack(setting: Setting, work: (stack: VoiceStack) => Promise<void>): Promise<void> {
  return withServiceStack('voice-api', setting, (stack) =>
    work({
      ...stack,
      startService: async (role) => {
        const started = await stack.startService(role);
        return { ...started, baseUrl: `${started.origin}/v1` };
      },
      addOrganization: (id) => addOrganization('voice-api', setting.root, stack.databaseUrl, id),
    }),
  );
}

/** @throws Error where the answer is not a success; the text of the answer says why. */
export async function call<T>(
  method: 'GET' | 'POST' | 'DELETE',
  url: string,
  apiKey: string,
  body?: string | object,
): Promise<T> {
  const response = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${text.slice(0, 500)}`);
  return (JSON.parse(text) as { data: T }).data;
}
