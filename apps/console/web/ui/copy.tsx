// Texts that people copy: ids, secrets, bodies.
import { useState } from 'react';
import { IconButton } from './button.tsx';
import { showToast } from './notice.tsx';

export function CopyButton({ text, label }: { text: string; label: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    showToast(`Copied ${label}`);
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return <IconButton label={`Copy ${label}`} icon={copied ? 'check' : 'copy'} onClick={() => void copy()} />;
}

/** An id in monospace, with the full value as its tooltip. */
export function Id({ children }: { children: string }) {
  return (
    <code title={children} className="font-mono text-xs break-all text-ink-2">
      {children}
    </code>
  );
}

/** An id with a button that copies it. */
export function CopyId({ children }: { children: string }) {
  return (
    <span className="inline-flex items-center gap-0.5">
      <Id>{children}</Id>
      <CopyButton text={children} label="the id" />
    </span>
  );
}

/** An e-mail with attachments has a megabyte, and rendering all of it freezes the page. */
const SHOWN_CHARS_MAX = 100_000;

interface CodeBlockProps {
  readonly text: string;
  readonly label: string;
  /** Keeps the lines of a program and scrolls; other texts wrap. */
  readonly isProgram?: boolean;
}

export function CodeBlock({ text, label, isProgram = false }: CodeBlockProps) {
  return (
    <div className="relative rounded-md border border-line bg-surface-2">
      <pre
        tabIndex={0}
        aria-label={label}
        role="region"
        className={`overflow-auto p-3 pr-11 font-mono text-xs ${isProgram ? 'whitespace-pre' : 'max-h-96 break-all whitespace-pre-wrap'}`}
      >
        {text.slice(0, SHOWN_CHARS_MAX)}
        {text.length > SHOWN_CHARS_MAX &&
          `\n… ${(text.length - SHOWN_CHARS_MAX).toLocaleString('en')} more characters. Copy to get all of them.`}
      </pre>
      <div className="absolute top-1 right-1 rounded-md bg-surface-2">
        <CopyButton text={text} label={label} />
      </div>
    </div>
  );
}

export function Json({ value, label }: { value: unknown; label: string }) {
  return <CodeBlock text={JSON.stringify(value, null, 2) ?? ''} label={label} />;
}
