// The open dialog for saving, publishing or unpublishing.
import { usePermissions } from '../../session/scopes.tsx';
import { close, useDesk } from '../page-state.ts';
import { PublishDialog } from './publish-dialog.tsx';
import { SaveDialog } from './save-dialog.tsx';
import { UnpublishDialog } from './unpublish-dialog.tsx';

export function FlowDialogs({ flowId, name }: { readonly flowId: string; readonly name: string }) {
  const open = useDesk((state) => state.open);
  const { can } = usePermissions('flow-builder');
  // Its keys would open it too.
  if (!can(open?.kind === 'unpublish' ? 'delete' : 'write')) return null;
  if (open?.kind === 'save') return <SaveDialog flowId={flowId} name={name} onClose={close} />;
  if (open?.kind === 'publish')
    return <PublishDialog flowId={flowId} version={open.version} onClose={close} />;
  if (open?.kind === 'unpublish') return <UnpublishDialog flowId={flowId} onClose={close} />;
  return null;
}
