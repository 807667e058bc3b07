// Creates a flow: empty, from an example, from a definition or by import.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { isPathId } from '@parley/envelopes';
import type { AuthoredFlow } from '@parley/flow-engine';
import { readOrganizationId } from '../../api/organization.ts';
import { useAction } from '../../ui/action.ts';
import { TextArea, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Loading } from '../../ui/page.tsx';
import { loadExamples } from './examples.ts';
import { ImportFlow, type Imported } from './import-flow.tsx';
import { idFrom, readDefinition, smallest, startFlow } from './new-flow.ts';

type From = 'nothing' | 'example' | 'definition' | 'import';
const WAYS: readonly { readonly from: From; readonly label: string }[] = [
  { from: 'nothing', label: 'Empty' },
  { from: 'example', label: 'Example' },
  { from: 'definition', label: 'Definition' },
  { from: 'import', label: 'Import' },
];

export function NewFlowDialog({ onClose }: { readonly onClose: () => void }) {
  const [from, setFrom] = useState<From>('nothing');
  const [name, setName] = useState('');
  const [typedId, setTypedId] = useState<string | null>(null);
  const [chosen, setChosen] = useState<string | null>(null);
  const [text, setText] = useState('');
  const [imported, setImported] = useState<Imported | null>(null);
  const navigate = useNavigate();
  const queries = useQueryClient();
  const examples = useQuery({
    queryKey: ['examples'],
    queryFn: loadExamples,
    enabled: from === 'example',
    staleTime: Infinity,
  });
  const example = examples.data?.find(({ flow_id }) => flow_id === chosen);
  const pasted = from === 'definition' && text.trim() !== '' ? readDefinition(text) : null;
  const begun = ((): { name?: string | null | undefined; definition?: AuthoredFlow | undefined } => {
    if (from === 'example') return example ?? {};
    if (from === 'definition') return typeof pasted === 'object' && pasted !== null ? pasted : {};
    const definition = imported?.answer.definition as unknown as AuthoredFlow | undefined;
    const named = typeof definition?.name === 'string' ? definition.name : imported?.name;
    return from === 'import' ? { name: named, definition } : {};
  })();
  const known = begun.name;
  const title = name.trim() === '' ? (known ?? '') : name.trim();
  const id = typedId ?? idFrom(title);
  const hasDots = id !== '' && !isPathId(id);
  const definition = from === 'nothing' ? smallest(title) : begun.definition;
  const start = useAction(async () => startFlow(await readOrganizationId(queries), id, title, definition!), {
    says: `Flow “${title}” created`,
    reloads: ['flows'],
    then: (flowId) => navigate({ to: '/flows/$flowId', params: { flowId } }),
  });
  return (
    <FormDialog
      title="Create flow"
      verb="Create flow"
      wide
      mutation={start}
      disabled={definition === undefined || title === '' || id === '' || hasDots}
      onClose={onClose}
      onSubmit={() => start.mutate()}
    >
      <div
        role="group"
        aria-label="Start from"
        className="flex flex-wrap rounded-md border border-line p-0.5"
      >
        {WAYS.map((way) => (
          <button
            key={way.from}
            type="button"
            aria-pressed={from === way.from}
            className="h-7 flex-1 rounded text-ink-2 aria-pressed:bg-surface-3 aria-pressed:font-medium aria-pressed:text-ink"
            onClick={() => setFrom(way.from)}
          >
            {way.label}
          </button>
        ))}
      </div>
      {from === 'example' && examples.isLoading && <Loading subject="the examples" />}
      {from === 'example' && (
        <div role="radiogroup" aria-label="Examples" className="flex max-h-72 flex-col gap-1 overflow-y-auto">
          {examples.data?.map((one) => (
            <label
              key={one.flow_id}
              className="flex items-start gap-2 rounded-md border border-line px-3 py-2 has-checked:border-accent has-checked:bg-accent-soft"
            >
              <input
                type="radio"
                name="example"
                className="mt-0.5 accent-accent"
                checked={chosen === one.flow_id}
                onChange={() => setChosen(one.flow_id)}
              />
              <span>
                <span className="font-medium">{one.name}</span>{' '}
                <span className="text-xs text-ink-2">{one.definition.nodes.length} nodes</span>
                <span className="block text-ink-2">{one.description}</span>
              </span>
            </label>
          ))}
        </div>
      )}
      {from === 'definition' && (
        <TextArea
          label="Definition"
          hint="Paste JSON: a definition, or an object with the member `definition`."
          error={typeof pasted === 'string' ? pasted : undefined}
          className="h-48 font-mono text-xs!"
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      )}
      {from === 'import' && <ImportFlow imported={imported} onImported={setImported} />}
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Name"
          placeholder={known ?? ''}
          maxLength={255}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <TextField
          label="Id"
          hint="API calls use this id. You cannot change it later."
          error={hasDots ? 'The id must not be only dots.' : undefined}
          className="font-mono text-xs!"
          maxLength={128}
          value={id}
          onChange={(event) => setTypedId(event.target.value === '' ? null : event.target.value)}
        />
      </div>
    </FormDialog>
  );
}
