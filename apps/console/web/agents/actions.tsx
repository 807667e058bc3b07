// Pauses, activates, archives and restores an agent, as far as the key allows.
import { useState } from 'react';
import { usePermissions } from '../session/scopes.tsx';
import { Button } from '../ui/button.tsx';
import { Confirm } from '../ui/dialog.tsx';
import { showToast } from '../ui/notice.tsx';
import { Problem } from '../ui/page.tsx';
import { archiveAgent, unarchiveAgent, updateAgent, useAgentChange, type Agent } from './api.ts';

export function Actions({ agent }: { agent: Agent }) {
  const { can } = usePermissions('voice-api');
  const [isArchiving, setArchiving] = useState(false);
  const toggle = useAgentChange(
    (status: 'active' | 'paused') => updateAgent(agent, { status }),
    ({ status }) => showToast(status === 'paused' ? 'Agent paused' : 'Agent active'),
  );
  const restore = useAgentChange(
    () => unarchiveAgent(agent),
    () => showToast('Agent restored. It is paused.'),
  );
  if (agent.status === 'archived')
    return (
      <>
        {can('write') && (
          <Button busy={restore.isPending} onClick={() => restore.mutate(undefined)}>
            Restore agent
          </Button>
        )}
        {restore.error && <Problem error={restore.error} />}
      </>
    );
  const next = agent.status === 'active' ? 'paused' : 'active';
  return (
    <>
      {can('write') && (
        <Button busy={toggle.isPending} onClick={() => toggle.mutate(next)}>
          {next === 'paused' ? 'Pause agent' : 'Activate agent'}
        </Button>
      )}
      {can('delete') && (
        <Button kind="danger" onClick={() => setArchiving(true)}>
          Archive agent
        </Button>
      )}
      {toggle.error && <Problem error={toggle.error} />}
      {isArchiving && <Archive agent={agent} onClose={() => setArchiving(false)} />}
    </>
  );
}

function Archive({ agent, onClose }: { agent: Agent; onClose: () => void }) {
  const archive = useAgentChange(
    () => archiveAgent(agent),
    () => {
      showToast('Agent archived');
      onClose();
    },
  );
  return (
    <Confirm
      title={`Archive “${agent.name}”?`}
      open
      onClose={onClose}
      verb="Archive agent"
      mutation={archive}
      onConfirm={() => archive.mutate(undefined)}
    >
      <p>The agent leaves the list. Its conversations and figures stay, and you can restore it, paused.</p>
    </Confirm>
  );
}
