// Opens a stored flow, with its unsaved draft from this browser.
import { useEffect, useState } from 'react';
import { getFlow, type StoredFlow } from '../api.ts';
import { toDoc } from '../document/doc.ts';
import { readDraft, type Draft } from '../document/drafts.ts';
import { change, openFlow } from '../document/flow-store.ts';
import { forget } from '../talk/talk-store.ts';

interface Opened {
  readonly organization: string;
  readonly flowId: string;
  readonly restored: Draft | null;
}

/** Opens a flow once. Versions that others save later are merged on save, not during editing. */
export function useOpenFlow(organization: string, stored: StoredFlow): Opened | null {
  const [opened, setOpened] = useState<Opened | null>(null);
  const flowId = stored.flow_id;
  useEffect(() => {
    let isLeft = false;
    void withDraft(organization, stored).then(({ draft, base }) => {
      if (isLeft) return;
      const doc = toDoc(base.definition);
      openFlow(flowId, { version: base.version, etag: base.etag, doc }, doc);
      if (draft !== null) change(() => toDoc(draft.definition), 'Restored unsaved changes');
      forget();
      setOpened({ organization, flowId, restored: draft });
    });
    return () => {
      isLeft = true;
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [flowId]);
  return opened?.flowId === flowId ? opened : null;
}

/** A draft keeps its base version, so that saving merges what others saved since. */
async function withDraft(
  organization: string,
  stored: StoredFlow,
): Promise<{ readonly draft: Draft | null; readonly base: StoredFlow }> {
  try {
    const draft = await readDraft(organization, stored.flow_id);
    if (draft === undefined) return { draft: null, base: stored };
    const isOld = draft.baseVersion < stored.version;
    return { draft, base: isOld ? await getFlow(stored.flow_id, draft.baseVersion) : stored };
  } catch {
    return { draft: null, base: stored }; // no browser storage, or the version no longer exists
  }
}
