// A conversation is erased for ever, and what went of it is told.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { Confirm } from '../ui/dialog.tsx';
import { notice } from '../ui/notice.tsx';
import { deleteConversation } from './api.ts';

export function DeleteConversation({ id }: { id: string }) {
  const [asked, setAsked] = useState(false);
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const remove = useMutation({
    mutationFn: () => deleteConversation(id),
    onSuccess: async ({ erased: { turns, deliveries } }) => {
      notice(`Erased, with ${turns} turns and ${deliveries} deliveries`);
      await navigate({ to: '/conversations' });
      for (const key of ['conversation', 'transcript']) queryClient.removeQueries({ queryKey: [key, id] });
      await queryClient.invalidateQueries({ queryKey: ['conversations'] });
    },
  });
  return (
    <>
      <Button kind="danger" onClick={() => setAsked(true)}>
        Delete
      </Button>
      <Confirm
        title="Delete this conversation?"
        open={asked}
        onClose={() => setAsked(false)}
        verb="Delete for ever"
        sending={remove}
        onConfirm={() => remove.mutate()}
      >
        <p>
          What was said, its events and what was delivered of it are erased everywhere, and webhooks are told
          to erase their copies. Figures stay, and name nobody. It cannot be undone.
        </p>
      </Confirm>
    </>
  );
}
