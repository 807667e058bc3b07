// The frame of the list pages of notifications, with a create button.
import { useState, type ReactNode } from 'react';
import { usePermissions } from '../session/scopes.tsx';
import { Button } from '../ui/button.tsx';
import { Page } from '../ui/page.tsx';
import { NotificationTabs } from './notification-tabs.tsx';

interface FrameProps {
  /** Label of the create button. */
  readonly verb: string;
  readonly dialog: (onClose: () => void) => ReactNode;
  readonly children: ReactNode;
}

export function NotificationsFrame({ verb, dialog, children }: FrameProps) {
  const [making, setMaking] = useState(false);
  const { can } = usePermissions('notifications');
  return (
    <Page
      title="Notifications"
      actions={
        can('write') && (
          <Button kind="primary" icon="plus" onClick={() => setMaking(true)}>
            {verb}
          </Button>
        )
      }
    >
      <NotificationTabs />
      {children}
      {making && dialog(() => setMaking(false))}
    </Page>
  );
}
