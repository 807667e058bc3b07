// Erases what the services can erase about a person, after it has said what that is.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useAccess } from '../session/access.tsx';
import { Button } from '../ui/button.tsx';
import { Confirm } from '../ui/dialog.tsx';
import { showToast } from '../ui/notice.tsx';
import { countConversations, erasePerson, type Erased } from './api.ts';
import type { Handle } from './person.rules.ts';

export function ErasePerson({ handle }: { readonly handle: Handle }) {
  const accessTo = useAccess();
  const [isOpen, setOpen] = useState(false);
  const queryClient = useQueryClient();
  const erase = useMutation({
    mutationFn: () => erasePerson(handle),
    onSuccess: async (erased) => {
      showToast(describeErased(erased));
      setOpen(false);
      await queryClient.invalidateQueries();
    },
  });
  const service = handle.kind === 'phone' ? 'voice-api' : 'notifications';
  // An address alone names no object of the services that could be erased.
  if (handle.kind === 'email' || accessTo(service) !== 'signed_in') return null;
  return (
    <>
      <Button kind="danger" onClick={() => setOpen(true)}>
        Erase person
      </Button>
      <Confirm
        title={handle.kind === 'phone' ? `Erase ${handle.phone}?` : `Erase ${handle.id}?`}
        open={isOpen}
        onClose={() => setOpen(false)}
        verb="Erase permanently"
        mutation={erase}
        onConfirm={() => erase.mutate()}
      >
        {handle.kind === 'phone' ? <OfPhone phone={handle.phone} /> : <OfUser />}
        <p>You cannot undo this.</p>
      </Confirm>
    </>
  );
}

function OfPhone({ phone }: { readonly phone: string }) {
  const count = useQuery({
    queryKey: ['person', 'conversations', phone],
    queryFn: () => countConversations(phone),
    staleTime: 0,
  });
  return (
    <p>
      This erases {count.data === undefined ? 'the' : count.data} conversations from and to this number, with
      transcripts, events and deliveries, and tells webhooks to erase their copies.
    </p>
  );
}

const OfUser = () => (
  <p>
    This deletes the recipient with addresses, preferences and topic memberships, and removes registered
    devices. Sent notifications and inbox items stay until their retention ends. Conversations belong to a
    phone number: erase them there.
  </p>
);

function describeErased({ conversations, devices, recipient }: Erased): string {
  const parts = [
    conversations > 0 && `${conversations} ${conversations === 1 ? 'conversation' : 'conversations'}`,
    recipient && 'the recipient',
    devices > 0 && `${devices} ${devices === 1 ? 'device' : 'devices'}`,
  ].filter((part) => part !== false);
  return parts.length === 0 ? 'There was nothing to erase' : `Erased ${parts.join(' and ')}`;
}
