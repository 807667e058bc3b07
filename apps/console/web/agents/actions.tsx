// Pauses, activates, archives and restores an agent, as far as the key allows.
import { useState } from 'react';
import { usePermissions } from '../session/scopes.tsx';
import { useAction } from '../ui/action.ts';
import { Button } from '../ui/button.tsx';
import { Confirm } from '../ui/dialog.tsx';
import { Problem } from '../ui/page.tsx';
import { AGENTS, archiveAgent, unarchiveAgent, updateAgent, type Agent } from './api.ts';

export function Actions({ agent }: { agent: Agent }) {
  const { can } = usePermissions('voice-api');
  const [isArchiving, setArchiving] = useState(false);
  const toggle = useAction((status: 'active' | 'paused') => updateAgent(agent, { status }), {
    says: ({ status }) => (status === 'paused' ? 'Agent paused' : 'Agent active'),
    reloads: AGENTS,
  });
  const restore = useAction(() => unarchiveAgent(agent), {
    says: 'Agent restored. It is paused.',
    reloads: AGENTS,
  });
  if (agent.status === 'archived')
    return (
      <>
        {can('write') && (
          <Button busy={restore.isPending} onClick={() => restore.mutate()}>
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
  const archive = useAction(() => archiveAgent(agent), {
    says: 'Agent archived',
    reloads: AGENTS,
    then: onClose,
  });
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
