// The button that exports what a list shows.
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { Button } from '../ui/button.tsx';
import type { ExportSource } from './source.ts';

/** Loaded when first opened. */
const ExportDialog = lazy(async () => {
  const { ExportDialog: dialog } = await import('./export-dialog.tsx');
  return { default: dialog };
});

export function ExportButton({ source }: { source: ExportSource }) {
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
            source={source}
            onClose={() => setOpen(false)}
            onMade={() => void navigate({ to: '/exports' })}
          />
        </Suspense>
      )}
    </>
  );
}
