// Unpublishes a flow.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Confirm } from '../../ui/dialog.tsx';
import { showToast } from '../../ui/notice.tsx';
import { unpublish } from '../api.ts';

export function UnpublishDialog({
  flowId,
  onClose,
}: {
  readonly flowId: string;
  readonly onClose: () => void;
}) {
  const queries = useQueryClient();
  const run = useMutation({
    mutationFn: () => unpublish(flowId),
    onSuccess: async () => {
      showToast('Flow unpublished');
      onClose();
      await queries.invalidateQueries({ queryKey: ['flow', flowId] });
      await queries.invalidateQueries({ queryKey: ['flows'] });
    },
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
