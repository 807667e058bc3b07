// Who stands for a member in the request of a send to a topic: it is judged, planned and previewed for the stand-in, and kept with it.
import { newLinkKey, type Recipient } from '../recipients/recipient.ts';

/** In every target that goes to members. */
export const MEMBER = 'a member of the topic';

/** A member who has every address, and a clock. */
export function standIn(organizationId: string): Recipient {
  const never = new Date(0);
  return {
    id: 'rcp_member',
    organizationId,
    userId: MEMBER,
    language: null,
    // What a member lacks is told of that member.
    timeZone: 'UTC',
    attributes: {},
    switchedOff: {},
    createdAt: never,
    updatedAt: never,
    kept: {
      link_key: newLinkKey(),
      email: 'member@example.com',
      chat_webhook: 'https://example.com/hook',
    },
  };
}

/** The targets of one member. */
export function targetsOf(
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
