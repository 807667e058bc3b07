// Erases what the services can erase about a person, after it has said what that is.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useAccess } from '../session/access.tsx';
import { usePermissions } from '../session/scopes.tsx';
import { useAction } from '../ui/action.ts';
import { Button } from '../ui/button.tsx';
import { Confirm } from '../ui/dialog.tsx';
import { saveFile } from '../ui/save.ts';
import { countConversations, erasePerson, toCallerId, type Erased } from './api.ts';
import type { Handle } from './person.rules.ts';

export function ErasePerson({ handle }: { readonly handle: Handle }) {
  const accessTo = useAccess();
  const [isOpen, setOpen] = useState(false);
  const voice = usePermissions('voice-api');
  const messages = usePermissions('notifications');
  const hasVoice = accessTo('voice-api') === 'signed_in' && voice.can('delete');
  const hasMessages = accessTo('notifications') === 'signed_in' && messages.can('delete');
  const erase = useAction(() => erasePerson(handle, { hasVoice, hasMessages }), {
    says: describeErased,
    reloads: [[]],
    then: ({ certificate }) => {
      setOpen(false);
      if (!certificate) return;
      const text = JSON.stringify(certificate, null, 2);
      saveFile(new Blob([text], { type: 'application/json' }), 'certificate-of-erasure.json');
    },
  });
  // An address alone names no object of notifications that could be erased.
  if (!hasVoice && (handle.kind !== 'id' || !hasMessages)) return null;
  return (
    <>
      <Button kind="danger" onClick={() => setOpen(true)}>
        Erase person
      </Button>
      <Confirm
        title={`Erase ${handle.kind === 'phone' ? handle.phone : handle.kind === 'email' ? handle.email : handle.id}?`}
        open={isOpen}
        onClose={() => setOpen(false)}
        verb="Erase permanently"
        mutation={erase}
        onConfirm={() => erase.mutate()}
      >
        {hasVoice && <Conversations handle={handle} />}
        {handle.kind === 'id' && hasMessages && <OfUser />}
        <p>You cannot undo this.</p>
      </Confirm>
    </>
  );
}

function Conversations({ handle }: { readonly handle: Handle }) {
  const { data } = useQuery({
    queryKey: ['person', 'conversations', toCallerId(handle)],
    queryFn: () => countConversations(handle),
    staleTime: 0,
  });
  return (
    <>
      <p>
        This erases {data === undefined ? 'the' : data.matched} conversations of this caller, with
        transcripts, events and deliveries, and tells webhooks and notifications to erase the same person. You
        get a certificate without personal data.
      </p>
      {data?.held !== undefined && data.held > 0 && (
        <p>{data.held} of them have a legal hold and stay. There is no certificate until they are erased.</p>
      )}
    </>
  );
}

const OfUser = () => (
  <p>
    This deletes the recipient with addresses, preferences and topic memberships, and removes registered
    devices. Sent notifications stay until their retention ends.
  </p>
);

function describeErased({ conversations, held, devices, recipient }: Erased): string {
  const parts = [
    conversations > 0 && `${conversations} ${conversations === 1 ? 'conversation' : 'conversations'}`,
    recipient && 'the recipient',
    devices > 0 && `${devices} ${devices === 1 ? 'device' : 'devices'}`,
  ].filter((part) => part !== false);
  const done = parts.length === 0 ? 'There was nothing to erase' : `Erased ${parts.join(' and ')}`;
  return held > 0 ? `${done}; ${held} with a legal hold stay` : done;
}
