// The dialogs of the flow page that are not for typing at once. Loaded when the first one opens.
import { FlowDialogs } from '../versions/flow-dialogs.tsx';
import { ShortcutsDialog } from './shortcuts-dialog.tsx';

export function DeskDialogs(props: { readonly flowId: string; readonly name: string }) {
  return (
    <>
      <FlowDialogs {...props} />
      <ShortcutsDialog />
    </>
  );
}
