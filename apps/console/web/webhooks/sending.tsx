// Form fields for the delivery settings of a webhook: bots, filter, timeout, rate, order and
// signature.
import { useQuery } from '@tanstack/react-query';
import { botsQuery } from '../api/bots.ts';
import { Checkbox, TextField } from '../ui/field.tsx';
import { FilterFields } from './filter-fields.tsx';
import type { DeliverySettings } from './sending.rules.ts';

interface DeliverySettingsFieldsProps {
  readonly value: DeliverySettings;
  readonly onChange: (value: DeliverySettings) => void;
}

export function DeliverySettingsFields({ value, onChange }: DeliverySettingsFieldsProps) {
  const put = (patch: Partial<DeliverySettings>) => onChange({ ...value, ...patch });
  return (
    <>
      <BotPicker chosen={value.bots} onChange={(bots) => put({ bots })} />
      <FilterFields value={value.filter} onChange={(filter) => put({ filter })} />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Timeout in seconds"
          name="timeout_ms"
          hint="0.5 to 30. Empty: the operator’s default"
          type="number"
          min={0.5}
          max={30}
          step={0.1}
          value={value.seconds}
          onChange={({ target }) => put({ seconds: target.value })}
        />
        <TextField
          label="Attempts per second"
          name="rate_per_second"
          hint="1 to 1,000. Empty: as fast as the server responds"
          type="number"
          min={1}
          max={1000}
          value={value.rate}
          onChange={({ target }) => put({ rate: target.value })}
        />
      </div>
      <Checkbox
        label="In order"
        hint="Deliver the events of a conversation one after the other; a failed one holds back the rest"
        checked={value.isOrdered}
        onChange={({ target }) => put({ isOrdered: target.checked })}
      />
      <Checkbox
        label="Tolerate single events that fail"
        hint="Disable the webhook only if nothing was delivered since the first attempt of an event that failed 5 times"
        checked={value.isTolerant}
        onChange={({ target }) => put({ isTolerant: target.checked })}
      />
      <Checkbox
        label="Also sign with a key pair"
        hint="Ed25519 (v1a). Your server verifies it with the public key and needs no secret"
        checked={value.isAsymmetric}
        onChange={({ target }) => put({ isAsymmetric: target.checked })}
      />
    </>
  );
}

function BotPicker({
  chosen,
  onChange,
}: {
  readonly chosen: readonly string[];
  readonly onChange: (bots: readonly string[]) => void;
}) {
  const bots = useQuery(botsQuery).data?.items ?? [];
  const known = new Map(bots.map(({ id, name }) => [id, name]));
  // A deleted bot, or one beyond the first hundred, stays until the person deselects it.
  const all = [...bots.map(({ id }) => id), ...chosen.filter((id) => !known.has(id))];
  if (all.length === 0) return null;
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 font-medium">Agents</legend>
      <p className="text-xs text-ink-2">
        Select none to receive the events of all agents, including future ones.
      </p>
      <div className="grid max-h-40 gap-2 overflow-y-auto sm:grid-cols-2">
        {all.map((id) => (
          <Checkbox
            key={id}
            label={known.get(id) ?? id}
            checked={chosen.includes(id)}
            onChange={({ target }) =>
              onChange(target.checked ? [...chosen, id] : chosen.filter((one) => one !== id))
            }
          />
        ))}
      </div>
    </fieldset>
  );
}
