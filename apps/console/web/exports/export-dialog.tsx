// Exports the filtered list to a file. Conversations are counted first.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { conversationsQuery } from '../filters/conversation-query.ts';
import { toQuery } from '../filters/conversation-query.ts';
import { useAction } from '../ui/action.ts';
import { Select } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Problem } from '../ui/page.tsx';
import { createExport, type Format } from './api.ts';
import { toNewExport, type ExportSource } from './source.ts';
import { FORMATS } from './formats.ts';

interface ExportDialogProps {
  readonly source: ExportSource;
  readonly onClose: () => void;
  readonly onMade: () => void;
}

const number = new Intl.NumberFormat('en');

export function ExportDialog({ source, onClose, onMade }: ExportDialogProps) {
  // Fixed, so that the export covers the same period as the count.
  const [nowMs] = useState(() => Date.now());
  const [format, setFormat] = useState<Format>('jsonl');
  const count = useCount(source, nowMs);
  const make = useAction(createExport, {
    says: 'The export is being written',
    reloads: ['exports'],
    then: onMade,
  });
  const { total, total_is_at_least } = count.data ?? {};
  return (
    <FormDialog
      title={`Export ${source.of}`}
      onClose={onClose}
      verb="Export"
      disabled={total === 0}
      mutation={make}
      onSubmit={() => make.mutate(toNewExport(source, format, nowMs))}
    >
      <Select
        label="Format"
        hint={FORMATS[format].hints[source.of]}
        value={format}
        onChange={({ target }) => setFormat(target.value as Format)}
      >
        {Object.entries(FORMATS)
          .filter(([, { hints }]) => hints[source.of] !== undefined)
          .map(([key, { label }]) => (
            <option key={key} value={key}>
              {label}
            </option>
          ))}
      </Select>
      {count.error && <Problem error={count.error} />}
      {(source.of === 'deliveries' || total !== undefined) && (
        <p role="status" className="rounded-md bg-surface-2 px-3 py-2">
          {total === 0
            ? 'No matching conversations. Change the filters and try again.'
            : `${total === undefined ? 'All matching deliveries' : formatCount(total, total_is_at_least)}. The file stays available for one day.`}
        </p>
      )}
    </FormDialog>
  );
}

/** Deliveries are not counted: the API has no total for them. */
function useCount({ of, search }: ExportSource, nowMs: number) {
  const filters = { ...(of === 'conversations' ? search : {}), cursor: undefined };
  return useQuery({
    ...conversationsQuery({ ...toQuery(filters, nowMs), limit: 1, total: 'true' }),
    enabled: of === 'conversations',
  });
}

const formatCount = (total: number, isAtLeast: boolean | undefined) =>
  `${isAtLeast ? 'More than ' : ''}${number.format(total)} ${total === 1 ? 'conversation' : 'conversations'}`;
