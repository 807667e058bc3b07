// Unpublishes a flow.
import { useAction } from '../../ui/action.ts';
import { Confirm } from '../../ui/dialog.tsx';
import { unpublish } from '../api.ts';

export function UnpublishDialog({
  flowId,
  onClose,
}: {
  readonly flowId: string;
  readonly onClose: () => void;
}) {
  const run = useAction(() => unpublish(flowId), {
    says: 'Flow unpublished',
    reloads: [['flow', flowId], 'flows'],
    then: onClose,
  });
  return (
    <Confirm
      title="Unpublish this flow?"
      open
      onClose={onClose}
      verb="Unpublish flow"
      mutation={run}
      onConfirm={() => run.mutate()}
    >
      <p>Execute requests fail until you publish a version again. All versions stay.</p>
    </Confirm>
  );
}
