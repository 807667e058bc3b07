// The foot of the menu: who is signed in where, light or dark, and the way out.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { IconButton } from '../ui/button.tsx';
import { sessionQuery, signOut } from './session.ts';
import { chooseTheme, useTheme } from './theme.ts';

export function Account() {
  const { data: session } = useQuery(sessionQuery);
  const theme = useTheme();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const leave = async () => {
    await signOut();
    queryClient.clear();
    await navigate({ to: '/sign-in' });
  };
  return (
    <div className="flex items-center gap-1 border-t border-line py-1.5 pr-2 pl-4">
      <p className="min-w-0 flex-1 truncate text-xs text-ink-2">
        {session?.person ?? 'Signed in by API key'}
      </p>
      <IconButton
        label={theme === 'dark' ? 'Light' : 'Dark'}
        icon={theme === 'dark' ? 'sun' : 'moon'}
        onClick={() => chooseTheme(theme === 'dark' ? 'light' : 'dark')}
      />
      <IconButton label="Sign out" icon="out" onClick={() => void leave()} />
    </div>
  );
}
