// A link that signs a person in once (docs/console.md#signing-in). The requester proves that it has
// CONSOLE_KEY by sealing the keys of the link. The console answers with a random code, so the
// address holds no credential.
import { z } from 'zod';
import { SERVICES } from '@parley/server/runtime';
import { askConsole, type ConsoleRequest } from './ask-console.ts';

const KEY_CHARACTERS_MAX = 256;

/** API keys by service: any of the three may be absent. */
export const serviceKeys = z.partialRecord(z.enum(SERVICES), z.string().min(1).max(KEY_CHARACTERS_MAX));
export type ServiceKeys = z.output<typeof serviceKeys>;

/** The content of a link's ticket. `label`: its creator, for the log. */
export const linkContent = z.strictObject({ keys: serviceKeys, label: z.string().max(120) });

const answered = z.object({ url: z.string(), expires_at: z.string() });

export interface LinkRequest extends ConsoleRequest {
  readonly keys: ServiceKeys;
  readonly label: string;
}

/** @throws Error when the console does not answer, or has another CONSOLE_KEY. */
export async function requestLink({ keys, label, ...console }: LinkRequest) {
  const asked: z.input<typeof linkContent> = { keys, label };
  return answered.parse(await askConsole(console, '/session/links', 'link', asked));
}
