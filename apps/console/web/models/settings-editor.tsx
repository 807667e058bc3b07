// The form of provider, fallback, prices and budget. Saving replaces all of them.
import { useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent, type ReactNode } from 'react';
import { useAction } from '../ui/action.ts';
import { Button } from '../ui/button.tsx';
import { Confirm } from '../ui/dialog.tsx';
import { Refused, TextField } from '../ui/field.tsx';
import { Problem } from '../ui/page.tsx';
import { deleteSettings, putSettings, settingsQuery, usageQuery, type ModelSettings } from './api.ts';
import { FlowProviders } from './flow-providers.tsx';
import { toForm, toRequest, type SettingsForm } from './form.rules.ts';
import { Prices } from './prices.tsx';
import { ProviderFields } from './provider-fields.tsx';

export function SettingsEditor({ settings }: { settings: ModelSettings }) {
  const [form, setForm] = useState(() => toForm(settings));
  const [isAsking, setIsAsking] = useState(false);
  const put = (patch: Partial<SettingsForm>) => setForm({ ...form, ...patch });
  const queries = useQueryClient();
  const then = (now: ModelSettings) => {
    queries.setQueryData(settingsQuery.queryKey, now);
    setForm(toForm(now));
    setIsAsking(false);
  };
  const reloads = [usageQuery.queryKey];
  const save = useAction(putSettings, { says: 'Model settings saved', reloads, then });
  const remove = useAction(deleteSettings, { says: 'Model settings deleted', reloads, then });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(toRequest(form));
  };
  const { provider, fallback, usable_models: usable } = settings;
  return (
    <form aria-label="Model settings" className="flex min-w-0 flex-col gap-6" onSubmit={submit}>
      <Refused error={save.error}>
        <Group title="Provider">
          <ProviderFields
            member="provider"
            label="Who runs your models"
            none="The provider of this installation"
            hint={
              provider === null && usable.length > 0
                ? `This installation uses ${usable.join(', ')}`
                : 'Your operator sets up a provider for the installation; you can bring an account of your own'
            }
            hasKey={provider?.has_key ?? false}
            value={form.provider}
            onChange={(value) => put({ provider: value })}
          />
        </Group>
        <Group title="Fallback">
          <ProviderFields
            member="fallback"
            label="When the provider fails"
            none="Call no other provider"
            hint="Parley calls it once for each answer that the provider does not give"
            hasKey={fallback?.has_key ?? false}
            value={form.fallback}
            onChange={(value) => put({ fallback: value })}
          />
        </Group>
        <Group
          title="Accounts of single flows"
          about="A flow that names one of these models uses this provider and its key instead."
        >
          <FlowProviders
            stored={settings.flow_providers}
            value={form.flowProviders}
            onChange={(flowProviders) => put({ flowProviders })}
          />
        </Group>
        <Group
          title="Prices"
          about="What the provider charges for a million tokens, in any one currency. Tokens are pieces of words: input is what Parley sends, output is what the model writes."
        >
          <Prices form={form} onChange={(prices) => put({ prices })} />
        </Group>
        <Group title="Budget">
          <TextField
            label="Monthly budget"
            name="monthly_budget"
            hint="In the currency of the prices; every model needs one. At 80 % you get an alert, at 100 % no model is called until the next month. Empty: no limit"
            type="number"
            min={0.01}
            max={1_000_000_000}
            step="any"
            className="max-w-48"
            value={form.budget}
            onChange={({ target }) => put({ budget: target.value })}
          />
        </Group>
      </Refused>
      {save.error && <Problem error={save.error} />}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" kind="primary" busy={save.isPending}>
          Save
        </Button>
        {settings.updated_at !== null && (
          <Button kind="danger" onClick={() => setIsAsking(true)}>
            Delete settings
          </Button>
        )}
      </div>
      <Confirm
        title="Delete the model settings?"
        open={isAsking}
        onClose={() => setIsAsking(false)}
        verb="Delete settings"
        mutation={remove}
        onConfirm={() => remove.mutate(undefined)}
      >
        <p>
          Flows use the provider of this installation again. Parley deletes the stored keys, the prices and
          the budget. Figures of usage stay.
        </p>
      </Confirm>
    </form>
  );
}

interface GroupProps {
  readonly title: string;
  readonly about?: string;
  readonly children: ReactNode;
}

function Group({ title, about, children }: GroupProps) {
  return (
    <section className="flex flex-col gap-4 border-t border-line pt-4 first:border-t-0 first:pt-0">
      <div>
        <h2 className="font-semibold">{title}</h2>
        {about !== undefined && <p className="text-ink-2">{about}</p>}
      </div>
      {children}
    </section>
  );
}
