// Opens a stored flow on the page, with what was left unsaved in this browser.
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

/** A flow is opened once: what others save later is met when this is saved, and not under the hands of who edits it. */
export function useOpenFlow(organization: string, stored: StoredFlow): Opened | null {
  const [opened, setOpened] = useState<Opened | null>(null);
  const flowId = stored.flow_id;
  useEffect(() => {
    let isLeft = false;
    void withDraft(organization, stored).then(({ draft, base }) => {
      if (isLeft) return;
      const doc = toDoc(base.definition);
      openFlow(flowId, { version: base.version, etag: base.etag, doc }, doc);
      if (draft !== null) change(() => toDoc(draft.definition), 'Restored what was not saved');
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

/** What was not saved belongs to the version that it was made from: saving it then meets what others saved since. */
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
    return { draft: null, base: stored }; // a browser that keeps nothing, or a version that is gone
  }
}
