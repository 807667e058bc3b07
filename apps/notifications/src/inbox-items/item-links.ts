// Writes the recipient's links into items of the inbox when they are read.
import { fillAllLinks, type LinkDeps } from '../people/message-links.ts';

interface LinkedItem {
  readonly organization_id: string;
  readonly notification_id: string;
  readonly user_id: string | null;
  readonly body: string;
}

/** Of rows or records of one organisation. Those without links stay as they are. */
export async function fillItemLinks<Item extends LinkedItem>(
  deps: LinkDeps,
  items: readonly Item[],
): Promise<Item[]> {
  const owners = items.map(({ organization_id, notification_id, user_id }) => ({
    organizationId: organization_id,
    notificationId: notification_id,
    userId: user_id,
    channel: 'in_app',
  }));
  const bodies = await fillAllLinks(
    deps,
    owners,
    items.map(({ body }) => body),
  );
  return items.map((item, index) => (item.body === bodies[index] ? item : { ...item, body: bodies[index]! }));
}
