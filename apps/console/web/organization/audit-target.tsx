// The object of an entry of the audit log: a link to its page, or its name.
import { Link } from '@tanstack/react-router';
import type { Service } from '../api/clients.ts';
import { rowLink } from '../ui/link.ts';
import { shortId, useNames } from './actor.tsx';
import type { AuditEntry } from './api.ts';
import { findTarget, isNamed } from './audit-words.ts';

/** Flows have readable ids up to this length; longer ones are random. */
const ID_CHARACTERS_MAX = 24;

interface TargetProps {
  readonly service: Service;
  readonly entry: Pick<AuditEntry, 'action' | 'target' | 'details'>;
}

export function Target({ service, entry }: TargetProps) {
  const { action, target, details } = entry;
  const name = useNames(service).get(target);
  if (!isNamed(action)) return null;
  const to = findTarget(action, target);
  const text = name ?? (target.length > ID_CHARACTERS_MAX ? shortId(target) : target);
  const version = typeof details['version'] === 'number' ? ` v${details['version']}` : '';
  return (
    <>
      {to === null ? (
        <b className="font-medium" title={target}>
          {text}
        </b>
      ) : (
        <Link to={to} title={target} className={rowLink}>
          {text}
        </Link>
      )}
      {version}
    </>
  );
}
