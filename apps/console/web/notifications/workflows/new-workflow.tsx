// Creates a workflow with its id and its template.
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useAction } from '../../ui/action.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { IdField } from '../id-field.tsx';
import { createWorkflow, WORKFLOWS } from './api.ts';

export function NewWorkflow({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const [id, setId] = useState('');
  const [template, setTemplate] = useState('');
  const create = useAction(() => createWorkflow(id, { template: { id: template.trim() }, publish: false }), {
    says: `Workflow ${id} created`,
    reloads: WORKFLOWS,
    then: () => navigate({ to: '/notifications/workflows/$workflowId', params: { workflowId: id } }),
  });
  return (
    <FormDialog
      title="Create workflow"
      verb="Create workflow"
      mutation={create}
      onClose={onClose}
      onSubmit={() => create.mutate()}
    >
      <IdField noun="workflow" value={id} onChange={setId} />
      <TextField
        label="Template"
        hint="The id of a published template, which holds the texts"
        required
        maxLength={64}
        value={template}
        onChange={(event) => setTemplate(event.target.value)}
      />
    </FormDialog>
  );
}
