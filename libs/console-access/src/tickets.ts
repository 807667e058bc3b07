// Tickets: encrypted and dated texts under CONSOLE_KEY (docs/console.md#signing-in). Who holds one can neither read nor change it.
import { EncryptJWT, errors, jwtDecrypt } from 'jose';
import type { z } from 'zod';
import type { Clock, Keyring } from '@parley/runtime';

/** What a ticket is for: one kind is never taken for another. */
export type TicketKind =
  /** The credentials of somebody who is signed in. */
  | 'session'
  /** Keys on their way from `npm start` or `parley console link` to the console. */
  | 'link'
  /** What is remembered while the identity provider is asked. */
  | 'identity'
  /** What an operator asks of the console. */
  | 'operator';

export interface Tickets {
  seal(kind: TicketKind, content: object, seconds: number): Promise<string>;
  /** Null: not made here, of another kind, changed, or over. */
  open<Content>(kind: TicketKind, schema: z.ZodType<Content>, text: string): Promise<Content | null>;
}

/** The first key seals, all open. */
export function createTickets(keyring: () => Promise<Keyring>, clock: Clock): Tickets {
  return {
    seal: async (kind, content, seconds) => {
      const [first] = await keyring();
      if (!first) throw new Error('the keyring is empty');
      const [kid, key] = first;
      return new EncryptJWT({ content })
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid })
        .setAudience(kind)
        .setExpirationTime(Math.floor(clock() / 1000) + seconds)
        .encrypt(key);
    },
    open: async (kind, schema, text) => {
      const keys = await keyring();
      try {
        const { payload } = await jwtDecrypt(
          text,
          ({ kid = '' }) => {
            const key = keys.get(kid);
            if (!key)
              throw new errors.JWEInvalid(`sealed under key "${kid}", which the keyring does not have`);
            return key;
          },
          {
            audience: kind,
            keyManagementAlgorithms: ['dir'],
            contentEncryptionAlgorithms: ['A256GCM'],
            requiredClaims: ['exp'],
            currentDate: new Date(clock()),
          },
        );
        return schema.safeParse(payload['content']).data ?? null;
      } catch (error) {
        if (error instanceof errors.JOSEError) return null;
        throw error;
      }
    },
  };
}
