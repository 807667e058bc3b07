// Downloads the file of an export part by part. A retry continues where the download stopped.
import { useState } from 'react';
import { useAction } from '../ui/action.ts';
import { Button } from '../ui/button.tsx';
import { toMessage } from '../ui/page.tsx';
import { saveFile } from '../ui/save.ts';
import { readParts, type Export } from './api.ts';
import { FORMATS } from './formats.ts';

export function Download({ of: one }: { of: Export }) {
  const [loaded, setLoaded] = useState<readonly Blob[]>([]);
  const get = useAction(() => readParts(one, loaded, setLoaded), {
    says: 'Export downloaded',
    then: (parts) => {
      saveFile(new Blob([...parts]), `${one.id}.${FORMATS[one.format].extension}`);
      setLoaded([]); // free the memory
    },
  });
  return (
    <span className="flex flex-col items-end gap-1">
      <Button icon="download" busy={get.isPending} onClick={() => get.mutate()}>
        {loaded.length === 0
          ? 'Download'
          : get.isPending
            ? `${loaded.length} of ${one.parts} parts`
            : 'Continue download'}
        <span className="sr-only"> {one.id}</span>
      </Button>
      {get.error && (
        <span role="alert" className="text-xs text-bad">
          {toMessage(get.error)}
        </span>
      )}
    </span>
  );
}
