/** What the frame passes to its dialogs (late-dialog.tsx). */
export interface ShellDialogProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}
