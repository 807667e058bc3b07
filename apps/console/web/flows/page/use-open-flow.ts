// Opens a stored flow on the page, with what was left unsaved in this browser.
import { useEffect, useState } from 'react';
import type { StoredFlow } from '../api.ts';
import { toDoc } from '../document/doc.ts';
import { readDraft, type Draft } from '../document/drafts.ts';
import { change, openFlow } from '../document/flow-store.ts';
import { forget } from '../talk/talk-store.ts';

interface Opened {
  readonly flowId: string;
  readonly restored: Draft | null;
}

/** A flow is opened once: what others save later is met when this is saved, and not under the hands of who edits it. */
export function useOpenFlow(stored: StoredFlow): { readonly isOpen: boolean; readonly restored: Draft | null } {
  const [opened, setOpened] = useState<Opened | null>(null);
  const flowId = stored.flow_id;
  useEffect(() => {
    let isLeft = false;
    void readDraft(flowId)
      .catch(() => undefined) // a browser that keeps nothing
      .then((draft) => {
        if (isLeft) return;
        const doc = toDoc(stored.definition);
        openFlow(flowId, { version: stored.version, etag: stored.etag, doc }, doc);
        if (draft !== undefined) change(() => toDoc(draft.definition), 'Restored what was not saved');
        forget();
        setOpened({ flowId, restored: draft ?? null });
      });
    return () => {
      isLeft = true;
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [flowId]);
  return { isOpen: opened?.flowId === flowId, restored: opened?.restored ?? null };
}
