// Sends a sample event and shows the response.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useAction } from '../ui/action.ts';
import { CodeBlock } from '../ui/copy.tsx';
import { Select } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { rowLink } from '../ui/link.ts';
import { WEBHOOKS, eventTypesQuery, testWebhook } from './api.ts';
import { AttemptFacts } from './attempts.tsx';
import { EVENT_TYPES, describeEvent, type EventType } from './catalogue.ts';

export function TestDialog({ webhookId, onClose }: { webhookId: string; onClose: () => void }) {
  const [event, setEvent] = useState<EventType>('conversation.ended');
  const test = useAction((type: EventType) => testWebhook(webhookId, type), {
    says: 'Test event sent',
    isShown: true,
    reloads: WEBHOOKS,
  });
  return (
    <FormDialog
      title="Send test event"
      verb="Send event"
      cancel="Close"
      mutation={test}
      onClose={onClose}
      onSubmit={() => test.mutate(event)}
    >
      <Select
        label="Event"
        hint={describeEvent(event)}
        value={event}
        onChange={({ target }) => setEvent(target.value as EventType)}
      >
        {EVENT_TYPES.map((type) => (
          <option key={type}>{type}</option>
        ))}
      </Select>
      <Example of={event} />
      {test.data && (
        <div className="flex flex-col gap-2" role="status">
          <AttemptFacts attempt={test.data.attempt} />
          <Link
            to="/webhooks/$webhookId/deliveries/$deliveryId"
            params={{ webhookId, deliveryId: test.data.delivery_id }}
            className={rowLink}
          >
            View delivery
          </Link>
        </div>
      )}
    </FormDialog>
  );
}

/** The body that the test sends, except for id, time and signature. */
function Example({ of }: { readonly of: EventType }) {
  const types = useQuery(eventTypesQuery);
  const example = types.data?.items.find(({ type }) => type === of)?.example;
  if (!example) return null;
  return (
    <details>
      <summary className="font-medium">Example body</summary>
      <div className="pt-3">
        <CodeBlock label="Example body" text={JSON.stringify(example, null, 2)} />
      </div>
    </details>
  );
}
