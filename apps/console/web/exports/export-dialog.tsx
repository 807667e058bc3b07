// What the filters of the list mean, written into a file: counted first, then asked for.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { conversationsQuery } from '../conversations/api.ts';
import { filterOf, questionOf } from '../conversations/meant.ts';
import type { ConversationSearch } from '../conversations/routes.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Select } from '../ui/field.tsx';
import { Problem } from '../ui/page.tsx';
import { createExport, type Format, type NewExport } from './api.ts';
import { FORMATS } from './formats.ts';

interface ExportDialogProps {
  readonly search: ConversationSearch;
  readonly onClose: () => void;
  readonly onMade: () => void;
}

const number = new Intl.NumberFormat('en');

export function ExportDialog({ search, onClose, onMade }: ExportDialogProps) {
  // What was counted is what is written: a stretch of time begins where it began.
  const [nowMs] = useState(() => Date.now());
  const [format, setFormat] = useState<Format>('jsonl');
  const queryClient = useQueryClient();
  const filters = { ...search, q: undefined, cursor: undefined, sort: undefined, order: undefined };
  const count = useQuery(conversationsQuery({ ...questionOf(filters, nowMs), limit: 1, total: 'true' }));
  const make = useMutation({
    mutationFn: (body: NewExport) => createExport(body),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['exports'] });
      onMade();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    make.mutate({ format, filter: filterOf(search, nowMs) });
  };
  const { total = 0, total_is_at_least } = count.data ?? {};
  return (
    <Dialog title="Export conversations" open onClose={onClose}>
      <form className="flex flex-col gap-4" onSubmit={submit}>
        <Select
          label="Format"
          hint={FORMATS[format].words}
          value={format}
          onChange={({ target }) => setFormat(target.value as Format)}
        >
          {Object.entries(FORMATS).map(([key, { label }]) => (
            <option key={key} value={key}>
              {label}
            </option>
          ))}
        </Select>
        {search.q !== undefined && (
          <p className="rounded-md bg-warn-soft px-3 py-2">
            An export is not searched for words: it has everything that the other filters mean.
          </p>
        )}
        {(make.error ?? count.error) && <Problem error={make.error ?? count.error} />}
        {count.data && (
          <p role="status" className="rounded-md bg-surface-2 px-3 py-2">
            {total === 0
              ? 'No conversation is like that.'
              : `${total_is_at_least ? 'More than ' : ''}${number.format(total)} ${total === 1 ? 'conversation' : 'conversations'}. The file is kept for a day.`}
          </p>
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            kind="primary"
            busy={make.isPending}
            disabled={count.data !== undefined && total === 0}
          >
            Export
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
