// Every dialog of the flow page. Loaded when the first one is opened.
import { FlowDialogs } from '../versions/flow-dialogs.tsx';
import { Pickers } from './pickers.tsx';
import { ShortcutsDialog } from './shortcuts-dialog.tsx';

export function DeskDialogs(props: { readonly flowId: string; readonly name: string }) {
  return (
    <>
      <Pickers />
      <FlowDialogs {...props} />
      <ShortcutsDialog />
    </>
  );
}
