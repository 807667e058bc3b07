// What the filters of a list mean, written into a file; conversations are counted first.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { conversationsQuery } from '../conversations/api.ts';
import { questionOf } from '../conversations/meant.ts';
import { Select } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Problem } from '../ui/page.tsx';
import { createExport, type Format, type NewExport } from './api.ts';
import { wishOf, type Asked } from './asked.ts';
import { FORMATS } from './formats.ts';

interface ExportDialogProps {
  readonly asked: Asked;
  readonly onClose: () => void;
  readonly onMade: () => void;
}

const number = new Intl.NumberFormat('en');

export function ExportDialog({ asked, onClose, onMade }: ExportDialogProps) {
  // What was counted is what is written: a stretch of time begins where it began.
  const [nowMs] = useState(() => Date.now());
  const [format, setFormat] = useState<Format>('jsonl');
  const queryClient = useQueryClient();
  const count = useCount(asked, nowMs);
  const make = useMutation({
    mutationFn: (body: NewExport) => createExport(body),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['exports'] });
      onMade();
    },
  });
  const { total, total_is_at_least } = count.data ?? {};
  return (
    <FormDialog
      title={`Export ${asked.of}`}
      onClose={onClose}
      verb="Export"
      disabled={total === 0}
      sending={make}
      onSubmit={() => make.mutate(wishOf(asked, format, nowMs))}
    >
      <Select
        label="Format"
        hint={FORMATS[format].words[asked.of]}
        value={format}
        onChange={({ target }) => setFormat(target.value as Format)}
      >
        {Object.entries(FORMATS)
          .filter(([, { words }]) => words[asked.of] !== undefined)
          .map(([key, { label }]) => (
            <option key={key} value={key}>
              {label}
            </option>
          ))}
      </Select>
      {count.error && <Problem error={count.error} />}
      {(asked.of === 'deliveries' || total !== undefined) && (
        <p role="status" className="rounded-md bg-surface-2 px-3 py-2">
          {total === 0
            ? 'No conversation is like that.'
            : `${total === undefined ? 'What the filters mean' : counted(total, total_is_at_least)}. The file is kept for a day.`}
        </p>
      )}
    </FormDialog>
  );
}

/** The log of deliveries is not counted: it grows all the time. */
function useCount({ of, search }: Asked, nowMs: number) {
  const filters = { ...(of === 'conversations' ? search : {}), cursor: undefined };
  return useQuery({
    ...conversationsQuery({ ...questionOf(filters, nowMs), limit: 1, total: 'true' }),
    enabled: of === 'conversations',
  });
}

const counted = (total: number, isAtLeast: boolean | undefined) =>
  `${isAtLeast ? 'More than ' : ''}${number.format(total)} ${total === 1 ? 'conversation' : 'conversations'}`;
