// The pages of the console that the person may open.
import { Link } from '@tanstack/react-router';
import { OpenAlertCount } from '../alerts/open-count.tsx';
import { useAccess } from '../session/access.tsx';
import { useMayOpen } from '../session/scopes.tsx';
import { Icon } from '../ui/icon.tsx';
import { isExact, PLACES } from './navigation.ts';

export function Menu() {
  const accessTo = useAccess();
  const mayOpen = useMayOpen();
  const groups = PLACES.map(({ group, places }) => ({
    group,
    places: places.filter((place) => mayOpen(place) !== false),
  }));
  return (
    <nav aria-label="Main" className="flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto px-2 py-1">
      {groups
        .filter(({ places }) => places.length > 0)
        .map(({ group, places }) => (
          <div key={group} className="flex flex-col">
            {group !== '' && <p className="px-2 py-1 text-xs text-ink-2">{group}</p>}
            {places.map(({ to, label, icon, service }) => (
              <Link
                key={to}
                to={to}
                activeOptions={{ exact: isExact(to) }}
                className="flex h-8 items-center gap-2.5 rounded-md px-2 text-ink-2 hover:bg-surface-3 hover:text-ink"
                activeProps={{ className: 'bg-surface-3 text-ink! font-medium' }}
              >
                <Icon name={icon} />
                <span className="min-w-0 truncate">{label}</span>
                {to === '/alerts' && <OpenAlertCount />}
                {service !== undefined && accessTo(service) !== 'signed_in' && (
                  <span className="ml-auto shrink-0 text-xs font-normal text-ink-2">
                    {accessTo(service) === 'absent' ? 'not set up' : 'no key'}
                  </span>
                )}
              </Link>
            ))}
          </div>
        ))}
    </nav>
  );
}
