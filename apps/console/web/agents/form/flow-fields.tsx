// Which flow an agent runs, and which version of it.
import { useQuery } from '@tanstack/react-query';
import { keepPreviousData } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { useAccess } from '../../session/access.tsx';
import { Select, TextField } from '../../ui/field.tsx';
import { Picker, type Choice } from '../../ui/picker.tsx';
import { flowChoicesQuery, type ListedFlow } from '../api.ts';
import type { AgentForm } from './form.rules.ts';

interface FlowFieldsProps {
  readonly form: AgentForm;
  readonly set: (change: Partial<AgentForm>) => void;
}

const toChoice = ({ flow_id, name, published_version }: ListedFlow): Choice => ({
  id: flow_id,
  label: name,
  detail: published_version == null ? 'not published' : `v${published_version}`,
});

export function FlowFields({ form, set }: FlowFieldsProps) {
  const isHere = useAccess()('flow-builder') === 'signed_in';
  const [typed, setTyped] = useState('');
  const found = useQuery({
    ...flowChoicesQuery(useDeferredValue(typed)),
    placeholderData: keepPreviousData,
    enabled: isHere,
  });
  const newest = useQuery({ ...flowChoicesQuery(''), enabled: isHere });
  const flows = found.data?.items ?? [];
  const chosen = [...(newest.data?.items ?? []), ...flows].find(({ flow_id }) => flow_id === form.flowId);
  if (!isHere || found.error !== null)
    return (
      <TextField
        label="Flow id"
        name="flow_id"
        hint="Sign in to Flow builder to choose a flow by its name"
        maxLength={128}
        value={form.flowId ?? ''}
        onChange={({ target }) => set({ flowId: target.value.trim() || null })}
      />
    );
  return (
    <>
      <Picker
        label="Flow"
        hint="What the agent says, asks and does"
        placeholder="Search flows by name"
        nothing="No flow has this name."
        isOptional
        choices={flows.map(toChoice)}
        onType={setTyped}
        value={
          chosen ? toChoice(chosen) : form.flowId === null ? null : { id: form.flowId, label: form.flowId }
        }
        onChange={(choice) => set({ flowId: choice?.id ?? null, flowVersion: '' })}
      />
      {form.flowId !== null && <VersionField form={form} set={set} flow={chosen} />}
    </>
  );
}

/** More versions than these are entered on the page of the flow. */
const VERSIONS_SHOWN = 50;

function VersionField({ form, set, flow }: FlowFieldsProps & { flow: ListedFlow | undefined }) {
  const latest = flow?.latest_version ?? 0;
  const published = flow?.published_version ?? null;
  const shown = Array.from({ length: Math.min(latest, VERSIONS_SHOWN) }, (_, at) => String(latest - at));
  const all =
    form.flowVersion === '' || shown.includes(form.flowVersion) ? shown : [...shown, form.flowVersion];
  return (
    <Select
      label="Version"
      name="flow_version"
      hint={
        form.flowVersion === ''
          ? 'Publishing the flow changes what the agent says'
          : 'Publishing the flow does not change this agent'
      }
      value={form.flowVersion}
      onChange={({ target }) => set({ flowVersion: target.value })}
    >
      <option value="">
        Published version
        {flow === undefined ? '' : published === null ? ' (none yet)' : ` (now v${published})`}
      </option>
      {all.map((version) => (
        <option key={version} value={version}>
          Always v{version}
        </option>
      ))}
    </Select>
  );
}
