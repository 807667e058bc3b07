// Determines the inbox that a request is about.
import { AppError, problemIn } from '@parley/envelopes';
import { hasScope, type Caller } from '@parley/server/http';

export interface Reader {
  readonly organizationId: string;
  /** Null: no user. Such a reader sees the items for every user of the organisation. */
  readonly userId: string | null;
  /** Links in items are credentials that change preferences: not for keys that only read. */
  readonly seesLinks: boolean;
}

/**
 * The user is the identity token's `sub`, or the `user_id` of a request with an API key; without
 * either it is nobody, never everybody (docs/notifications.md#in-app-inbox). Only a token with
 * `admin` may name another user.
 * @throws AppError insufficient_scope
 */
export function getReader(caller: Caller, userId: string | undefined): Reader {
  const { organizationId, endUser, subject } = caller;
  const seesLinks = endUser !== undefined || hasScope(caller, 'write');
  // A ticket opens only the inbox that it was created for.
  const fixed = caller.kind === 'signature' ? (subject ?? null) : endUser;
  if (fixed !== undefined) {
    if (userId !== undefined && userId !== fixed)
      throw new AppError('insufficient_scope', 'user_id: this credential does not open another inbox');
    return { organizationId, userId: fixed, seesLinks };
  }
  return { organizationId, userId: userId ?? subject ?? null, seesLinks };
}

/** Requires a user, for changes of one inbox. @throws AppError invalid_request */
export function requireUser(reader: Reader, why: string): Reader & { readonly userId: string } {
  const { userId } = reader;
  if (userId === null) {
    throw new AppError('invalid_request', 'the request is not valid', {
      fields: [problemIn('query', ['user_id'], `is required: ${why}`)],
    });
  }
  return { ...reader, userId };
}
