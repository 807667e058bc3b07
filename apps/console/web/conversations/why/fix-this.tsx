// "Fix this": the turns up to this one become a test, which the assistant of the editor mends the
// draft for (docs/assistant.md).
import { useNavigate } from '@tanstack/react-router';
import type { RecordedTurn } from '@parley/flow-analysis';
import { fixConversation } from '../../flows/assistant/assistant-store.ts';
import { toFailed } from '../../flows/assistant/recorded-test.ts';
import { usePermissions } from '../../session/scopes.tsx';
import { Button } from '../../ui/button.tsx';

interface FixThisProps {
  /** Of the conversation, up to the turn at least. */
  readonly turns: readonly RecordedTurn[];
  readonly turn: RecordedTurn;
}

/** Nothing where the recording lacks what a test needs. */
export function FixThis({ turns, turn }: FixThisProps) {
  const navigate = useNavigate();
  const { can } = usePermissions('flow-builder');
  const failed = toFailed(turns, turn);
  if (failed === null || !can('write')) return null;
  const open = () => {
    fixConversation(failed);
    void navigate({
      to: '/flows/$flowId',
      params: { flowId: failed.flowId },
      search: { panel: 'assistant' },
    });
  };
  return (
    <Button className="self-start" onClick={open}>
      Fix this
    </Button>
  );
}
