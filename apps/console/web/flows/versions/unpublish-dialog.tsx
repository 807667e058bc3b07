// Taking a flow out of production.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Confirm } from '../../ui/dialog.tsx';
import { notice } from '../../ui/notice.tsx';
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
      notice('Nothing is published any more');
      onClose();
      await queries.invalidateQueries({ queryKey: ['flow', flowId] });
      await queries.invalidateQueries({ queryKey: ['flows'] });
    },
  });
  return (
    <Confirm
      title="Take the flow out of production"
      open
      onClose={onClose}
      verb="Unpublish"
      sending={run}
      onConfirm={() => run.mutate()}
    >
      <p>Callers of this flow are refused until a version is published again. All versions stay.</p>
    </Confirm>
  );
}
