// The start page: what needs attention, today's figures, what changed, and where to continue.
import { Attention } from './attention.tsx';
import { Changes } from './changes.tsx';
import { ContinueEditing } from './continue-editing.tsx';
import { Today } from './today.tsx';
import { useAccess } from '../session/access.tsx';
import { Page } from '../ui/page.tsx';

export function HomePage() {
  const accessTo = useAccess();
  return (
    <Page title="Home">
      <Attention />
      {accessTo('voice-api') === 'signed_in' && <Today />}
      <div className="grid items-start gap-5 lg:grid-cols-2">
        {accessTo('flow-builder') === 'signed_in' && <ContinueEditing />}
        <Changes />
      </div>
    </Page>
  );
}
