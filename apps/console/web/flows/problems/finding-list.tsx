// A list of findings with hints.
import type { Severity } from '@parley/flow-analysis';
import type { Finding } from '../../engine/check.ts';
import { Words } from '../words.tsx';
import { showPath } from '../document/flow-store.ts';

export const toneOf: Readonly<Record<Severity, string>> = {
  error: 'text-bad',
  warning: 'text-warn',
  info: 'text-ink-2',
};
const SIGNS: Readonly<Record<Severity, string>> = { error: '●', warning: '▲', info: '○' };

export function Sign({ severity }: { readonly severity: Severity }) {
  return (
    <span className={`text-xs ${toneOf[severity]}`} role="img" aria-label={severity}>
      {SIGNS[severity]}
    </span>
  );
}

type ListedFinding = Pick<Finding, 'code' | 'message' | 'hint' | 'severity' | 'path' | 'witness'>;

export function FindingList({ findings }: { readonly findings: readonly ListedFinding[] }) {
  if (findings.length === 0) return null;
  return (
    <ul className="flex flex-col gap-1.5 rounded-md border border-line px-2.5 py-2">
      {findings.map(({ code, message, hint, severity, path, witness }, at) => (
        <li key={`${code} ${path} ${at}`} className="grid grid-cols-[1rem_1fr]">
          <Sign severity={severity} />
          <div>
            <p>
              <Words text={message} />
            </p>
            <p className="text-xs text-ink-2">
              <Words text={hint} />
            </p>
            {witness.length > 0 && (
              <button
                type="button"
                className="text-xs text-accent hover:underline"
                onClick={() => showPath(witness)}
              >
                Show path
              </button>
            )}
          </div>
        </li>
      ))}
    </ul>
  );
}
