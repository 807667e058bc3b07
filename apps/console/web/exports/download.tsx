// Downloads the file of an export part by part. A retry continues where the download stopped.
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { messageOf } from '../ui/page.tsx';
import { save } from '../ui/save.ts';
import { readParts, type Export } from './api.ts';
import { FORMATS } from './formats.ts';

export function Download({ of: one }: { of: Export }) {
  const [had, setHad] = useState<readonly Blob[]>([]);
  const get = useMutation({
    mutationFn: () => readParts(one, had, setHad),
    onSuccess: (parts) => {
      save(new Blob([...parts]), `${one.id}.${FORMATS[one.format].extension}`);
      setHad([]); // free the memory
    },
  });
  return (
    <span className="flex flex-col items-end gap-1">
      <Button icon="download" busy={get.isPending} onClick={() => get.mutate()}>
        {had.length === 0
          ? 'Download'
          : get.isPending
            ? `${had.length} of ${one.parts} parts`
            : 'Continue download'}
        <span className="sr-only"> {one.id}</span>
      </Button>
      {get.error && (
        <span role="alert" className="text-xs text-bad">
          {messageOf(get.error)}
        </span>
      )}
    </span>
  );
}
