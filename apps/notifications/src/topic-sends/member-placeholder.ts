// The member placeholder in the request of a send to a topic. The send is validated, planned and
// previewed for it.
import { NO_CHOICES } from '../people/opt-out.rules.ts';
import { newLinkKey, type Recipient } from '../people/recipient.ts';
import { MEMBER_PLACEHOLDER } from '../accept/request/request-rules.ts';

/** A member with every address and a time zone. */
export function createPlaceholder(organizationId: string): Recipient {
  const never = new Date(0);
  return {
    id: 'rcp_member',
    organizationId,
    userId: MEMBER_PLACEHOLDER,
    language: null,
    // What a real member lacks is reported for that member.
    timeZone: 'UTC',
    attributes: {},
    ...NO_CHOICES,
    createdAt: never,
    updatedAt: never,
    contact: {
      link_key: newLinkKey(),
      email: 'member@example.com',
      chat_webhook: 'https://example.com/hook',
    },
  };
}

/** The targets of one member. */
export function toMemberTargets(
  targets: Readonly<Record<string, unknown>>,
  userId: string,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(targets).map(([name, target]) => [
      name,
      typeof target === 'object' && target !== null ? { ...target, user_id: userId } : target,
    ]),
  );
}
