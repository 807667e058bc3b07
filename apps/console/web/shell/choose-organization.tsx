// For a person of several organisations: the choice after sign-in, and the switch in the menu.
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { chooseOrganization, type Session } from '../session/session.ts';
import { useAction } from '../ui/action.ts';
import { Button } from '../ui/button.tsx';
import { Page, Problem } from '../ui/page.tsx';

/** Forgets what was read of the organisation before. */
function useChoice() {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  return useAction(chooseOrganization, {
    says: (_, id) => `Organisation ${id} selected`,
    then: async () => {
      queryClient.clear();
      await navigate({ to: '/' });
    },
  });
}

export const mustChoose = (session: Session | undefined): boolean =>
  session !== undefined && session.organization === null && session.organizations.length > 1;

export function ChooseOrganization({ organizations }: Pick<Session, 'organizations'>) {
  const choice = useChoice();
  return (
    <Page title="Choose an organisation">
      <p className="text-ink-2">You belong to several. You can change it later, at the foot of the menu.</p>
      <ul className="flex max-w-sm flex-col gap-2">
        {organizations.map((id) => (
          <li key={id} className="flex flex-col">
            <Button busy={choice.isPending && choice.variables === id} onClick={() => choice.mutate(id)}>
              <span dir="auto">{id}</span>
            </Button>
          </li>
        ))}
      </ul>
      {choice.error && <Problem error={choice.error} />}
    </Page>
  );
}

export function OrganizationSwitch({ organization, organizations }: Session) {
  const choice = useChoice();
  if (organization === null || organizations.length < 2) return null;
  return (
    <label className="flex flex-col gap-1 border-t border-line px-4 py-2 text-xs text-ink-2">
      Organisation
      <select
        className="h-8 rounded-md border border-line bg-surface px-2 text-sm text-ink"
        value={organization}
        disabled={choice.isPending}
        onChange={(event) => choice.mutate(event.target.value)}
      >
        {organizations.map((id) => (
          <option key={id}>{id}</option>
        ))}
      </select>
      {choice.error && <Problem error={choice.error} />}
    </label>
  );
}
