// Chooses the events of a webhook: all, future ones included, or some.
import { Checkbox } from '../ui/field.tsx';
import { EVENT_TYPES, describeEvent, type EventType } from './catalogue.ts';
import type { NewWebhook } from './api.ts';

export type EventSelection = NewWebhook['events'];

export function EventPicker({
  value,
  onChange,
}: {
  value: readonly string[];
  onChange: (events: EventSelection) => void;
}) {
  const all = value[0] === '*';
  const chosen = value.filter((event): event is EventType => event !== '*');
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 font-medium">Events</legend>
      <Checkbox
        label="All events"
        hint="Includes event types of later releases"
        checked={all}
        onChange={(event) => onChange(event.target.checked ? ['*'] : ['conversation.ended'])}
      />
      {!all && (
        <div className="ml-6 grid gap-2 sm:grid-cols-2">
          {EVENT_TYPES.map((type) => (
            <Checkbox
              key={type}
              label={type}
              hint={describeEvent(type)}
              checked={chosen.includes(type)}
              onChange={(event) =>
                onChange(event.target.checked ? [...chosen, type] : chosen.filter((one) => one !== type))
              }
            />
          ))}
        </div>
      )}
    </fieldset>
  );
}
