// What a list shows, as a file: the button that each of them has.
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { Button } from '../ui/button.tsx';
import type { Asked } from './asked.ts';

/** Most people who see a list export nothing. */
const ExportDialog = lazy(async () => {
  const { ExportDialog: dialog } = await import('./export-dialog.tsx');
  return { default: dialog };
});

export function ExportButton({ asked }: { asked: Asked }) {
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button icon="download" onClick={() => setOpen(true)}>
        Export
      </Button>
      {isOpen && (
        <Suspense>
          <ExportDialog
            asked={asked}
            onClose={() => setOpen(false)}
            onMade={() => void navigate({ to: '/exports' })}
          />
        </Suspense>
      )}
    </>
  );
}
