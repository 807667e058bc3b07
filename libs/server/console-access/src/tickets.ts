// Tickets: encrypted and dated texts under CONSOLE_KEY (docs/console.md#signing-in). Their holder
// can neither read nor change them.
import { EncryptJWT, errors, jwtDecrypt } from 'jose';
import type { z } from 'zod';
import type { Clock, Keyring } from '@parley/server/runtime';

/** The purpose of a ticket: other kinds are refused. */
export type TicketKind =
  /** The credentials of a signed-in person. */
  | 'session'
  /** Keys on their way from `npm start` or `parley console link` to the console. */
  | 'link'
  /** Keys of a link until it is used. */
  | 'waiting-link'
  /** State during a sign-in at the identity provider. */
  | 'identity'
  /** A request of an operator. */
  | 'operator';

export interface Tickets {
  seal(kind: TicketKind, content: object, seconds: number): Promise<string>;
  /** Null: from elsewhere, of another kind, changed, or expired. */
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
            if (!key) throw new errors.JWEInvalid(`sealed under key "${kid}", which the keyring lacks`);
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
