// What was not saved is back; it may have been made from a version that is no longer the latest.
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
        What you changed <Time at={restored.changedAt / 1000} /> is not saved.
        {isOld && ` It was made to version ${restored.baseVersion}; the latest is ${latest.version}.`}
      </p>
      <Button
        className="h-7!"
        onClick={() => {
          if (isOld) openDefinition(latest.flow_id, latest, latest.definition);
          else discard();
          setRead(true);
        }}
      >
        Discard them
      </Button>
      <Button kind="quiet" className="h-7!" onClick={() => setRead(true)}>
        Keep them
      </Button>
    </div>
  );
}
