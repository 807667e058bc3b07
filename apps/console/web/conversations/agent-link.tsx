// The agent of a conversation by its name. An id that is no agent here, such as that of a voice
// platform, is no link.
import { Link } from '@tanstack/react-router';
import { Id } from '../ui/copy.tsx';
import { rowLink } from '../ui/link.ts';

interface AgentLinkProps {
  readonly id: string | null;
  /** Null: there is no such agent, or it is not among the newest ones. */
  readonly name: string | null;
}

export function AgentLink({ id, name }: AgentLinkProps) {
  if (id === null) return '–';
  if (name === null) return <Id>{id}</Id>;
  return (
    <Link to="/agents/$agentId" params={{ agentId: id }} className={rowLink} dir="auto">
      {name}
    </Link>
  );
}
