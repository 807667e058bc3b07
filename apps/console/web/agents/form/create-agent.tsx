// The dialog that creates an agent, and opens its page.
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useAction } from '../../ui/action.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { AGENTS, createAgent } from '../api.ts';
import { BasicFields, LanguageField, VoiceFields } from './fields.tsx';
import { FlowFields } from './flow-fields.tsx';
import { EMPTY_FORM, toNewAgent, type AgentForm } from './form.rules.ts';

export function CreateAgent({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const [form, setForm] = useState(EMPTY_FORM);
  const set = (change: Partial<AgentForm>) => setForm((before) => ({ ...before, ...change }));
  const create = useAction(createAgent, {
    says: ({ name }) => `Agent “${name}” created`,
    reloads: AGENTS,
    then: ({ id }) => navigate({ to: '/agents/$agentId', params: { agentId: id } }),
  });
  return (
    <FormDialog
      title="Create agent"
      verb="Create agent"
      mutation={create}
      disabled={form.name.trim() === ''}
      onClose={onClose}
      onSubmit={() => create.mutate(toNewAgent(form))}
    >
      <BasicFields form={form} set={set} />
      <FlowFields form={form} set={set} />
      <LanguageField form={form} set={set} />
      <details>
        <summary className="font-medium">Voice</summary>
        <div className="pt-3">
          <VoiceFields form={form} set={set} />
        </div>
      </details>
    </FormDialog>
  );
}
