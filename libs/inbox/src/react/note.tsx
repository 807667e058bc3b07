import type { ReactNode } from 'react';

export function Note({ role, children }: { role: 'status' | 'alert'; children: ReactNode }) {
  return (
    <p role={role} className="parley-inbox-note">
      {children}
    </p>
  );
}
