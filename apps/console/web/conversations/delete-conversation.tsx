// Deletes a conversation permanently and says what was erased.
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useAction } from '../ui/action.ts';
import { Button } from '../ui/button.tsx';
import { Confirm } from '../ui/dialog.tsx';
import { deleteConversation } from './api.ts';

export function DeleteConversation({ id }: { id: string }) {
  const [isOpen, setOpen] = useState(false);
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const remove = useAction(() => deleteConversation(id), {
    says: ({ erased: { turns, deliveries } }) => `Deleted with ${turns} turns and ${deliveries} deliveries`,
    reloads: ['conversations'],
    then: async () => {
      await navigate({ to: '/conversations' });
      for (const key of ['conversation', 'transcript']) queryClient.removeQueries({ queryKey: [key, id] });
    },
  });
  return (
    <>
      <Button kind="danger" onClick={() => setOpen(true)}>
        Delete
      </Button>
      <Confirm
        title="Delete this conversation?"
        open={isOpen}
        onClose={() => setOpen(false)}
        verb="Delete permanently"
        mutation={remove}
        onConfirm={() => remove.mutate()}
      >
        <p>
          This erases the transcript, the events and the deliveries, and tells webhooks to erase their copies.
          Anonymous figures in analytics stay. You cannot undo this.
        </p>
      </Confirm>
    </>
  );
}
