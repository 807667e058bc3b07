// Says that an unsaved draft was restored, and offers to discard it.
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Time } from '../../ui/time.tsx';
import type { StoredFlow } from '../api.ts';
import type { Draft } from '../document/drafts.ts';
import { discard, isDirty, openDefinition, useFlow } from '../document/flow-store.ts';

export function DraftNotice({
  restored,
  latest,
}: {
  readonly restored: Draft | null;
  readonly latest: StoredFlow;
}) {
  const [isRead, setRead] = useState(false);
  const dirty = useFlow(isDirty);
  if (restored === null || isRead || !dirty) return null;
  const isOld = restored.baseVersion < latest.version;
  return (
    <div role="status" className="flex items-center gap-3 border-b border-line bg-warn-soft px-3 py-1.5">
      <p className="min-w-0 flex-1">
        Restored unsaved changes from <Time at={restored.changedAt / 1000} />.
        {isOld && ` They are based on version ${restored.baseVersion}; the latest is ${latest.version}.`}
      </p>
      <Button
        className="h-7!"
        onClick={() => {
          if (isOld) openDefinition(latest.flow_id, latest, latest.definition);
          else discard();
          setRead(true);
        }}
      >
        Discard changes
      </Button>
      <Button kind="quiet" className="h-7!" onClick={() => setRead(true)}>
        Keep changes
      </Button>
    </div>
  );
}
