// Saves the conversation as a test of the flow.
import { useState } from 'react';
import { isPathId } from '@parley/envelopes';
import { useAction } from '../../ui/action.ts';
import { buttonClass } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { putTest } from '../api.ts';
import { useTalk } from './talk-store.ts';
import { toTest } from './to-test.ts';

const isName = (name: string) => /^[A-Za-z0-9_.:-]{1,128}$/.test(name) && isPathId(name);

export function SaveTest({ flowId }: { readonly flowId: string }) {
  const [name, setName] = useState<string | null>(null);
  const { script, played, name: opened } = useTalk();
  const test = played === null ? null : toTest(script, played);
  const save = useAction((given: string) => putTest(flowId, given, test!), {
    says: (_, given) => `Saved test ${given}`,
    reloads: [['flow', flowId, 'tests']],
    then: () => setName(null),
  });
  return (
    <>
      <button
        type="button"
        className={buttonClass('quiet', 'h-6! px-2! text-xs')}
        disabled={test === null}
        onClick={() => setName(opened ?? '')}
      >
        Save as test
      </button>
      {name !== null && (
        <FormDialog
          title="Save as test"
          verb="Save test"
          mutation={save}
          disabled={!isName(name)}
          onClose={() => setName(null)}
          onSubmit={() => save.mutate(name)}
        >
          <p className="text-ink-2">
            {test?.turns.length} {test?.turns.length === 1 ? 'turn' : 'turns'}. The test stores the input,
            model results, messages and nodes. Publishing runs every stored test.
          </p>
          <TextField
            label="Name"
            hint="Letters, digits and _ . : -, but not only dots. Replaces a test with the same name."
            value={name}
            onChange={(event) => setName(event.target.value.replaceAll(' ', '-'))}
          />
        </FormDialog>
      )}
    </>
  );
}
