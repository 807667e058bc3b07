// Whose inbox a request is about.
import { AppError, problemIn } from '@parley/envelopes';
import type { Caller } from '@parley/http';

export interface Reader {
  readonly organizationId: string;
  /** Null: nobody in particular, who sees what is for every user of the organisation. */
  readonly userId: string | null;
}

/**
 * The user is the identity token's `sub`; with an API key it is the `user_id` asked for, and without one nobody, never
 * everybody (docs/notifications.md#in-app-inbox). A token with `admin` may ask for another user, an end user may not.
 * @throws AppError insufficient_scope
 */
export function readerOf(caller: Caller, userId: string | undefined): Reader {
  const { organizationId, endUser, subject } = caller;
  // A ticket is for the inbox that it was made for.
  const fixed = caller.kind === 'signature' ? (subject ?? null) : endUser;
  if (fixed !== undefined) {
    if (userId !== undefined && userId !== fixed)
      throw new AppError('insufficient_scope', 'user_id: this credential opens another inbox');
    return { organizationId, userId: fixed };
  }
  return { organizationId, userId: userId ?? subject ?? null };
}

/** The reader, where what is done is done to the inbox of one user. @throws AppError invalid_request */
export function userOf(reader: Reader, why: string): Reader & { readonly userId: string } {
  const { userId } = reader;
  if (userId === null) {
    throw new AppError('invalid_request', 'the request is not valid', {
      fields: [problemIn('query', ['user_id'], `is needed: ${why}`)],
    });
  }
  return { ...reader, userId };
}
