// GET and POST /v1/preferences/page: the preferences of a recipient as a page, behind a signed link
// of a mail. Each button is a form without members, so the page needs no script.
import type { Caller, Reply } from '@parley/server/http';
import type { Deps } from '../deps.ts';
import type { PersonalChannel } from '../people/opt-out.rules.ts';
import { escapeHtml, page } from './page.ts';
import { getPreferences, putPreferences } from './preferences.ts';
import type { PreferencesPageChange } from './schemas.ts';

type Preferences = Awaited<ReturnType<typeof getPreferences>>;

const LABELS: Readonly<Record<PersonalChannel, string>> = {
  chat: 'Chat',
  email: 'E-mail',
  in_app: 'In-app',
  web_push: 'Push',
};

/** Changes nothing. */
export async function showPreferencesPage(deps: Deps, caller: Caller, link: string): Promise<Reply> {
  return render(await getPreferences(deps, caller, undefined), link);
}

/** @throws AppError invalid_request for an unknown category; unprocessable for a required one */
export async function changePreferencesPage(
  deps: Deps,
  caller: Caller,
  { link, category, channel, on }: PreferencesPageChange,
): Promise<Reply> {
  const isOn = on === 'true';
  const switches = channel === undefined ? {} : { [channel]: isOn };
  const changes =
    category !== undefined
      ? { categories: { [category]: switches } }
      : channel === undefined
        ? { all: isOn }
        : { channels: switches };
  return render(await putPreferences(deps, caller, undefined, changes), link);
}

function render({ all, channels, categories }: Preferences, link: string): Reply {
  const button = (isOn: boolean, what: string, where: string) =>
    `<form method="post" action="?link=${escapeHtml(encodeURIComponent(link))}${where}&amp;on=${!isOn}">
${escapeHtml(what)}: ${isOn ? 'on' : 'off'} <button aria-label="${escapeHtml(what)}: switch ${isOn ? 'off' : 'on'}">Switch ${isOn ? 'off' : 'on'}</button></form>`;
  const buttons = (switches: Preferences['channels'], prefix: string, where: string) =>
    Object.entries(switches)
      .map(([name, isOn]) => {
        const label = `${prefix}${LABELS[name as PersonalChannel]}`;
        return button(isOn, label, `${where}&amp;channel=${name}`);
      })
      .join('\n');
  const sections = categories.map(({ id, name, description, required, channels: switches }) => {
    const about = description === null ? '' : `<p dir="auto">${escapeHtml(description)}</p>`;
    const choices = required
      ? '<p>Always on.</p>'
      : buttons(switches, `${name}, `, `&amp;category=${encodeURIComponent(id)}`);
    return `<h2 dir="auto">${escapeHtml(name)}</h2>${about}${choices}`;
  });
  return page(
    'Notification preferences',
    `<h1>Notification preferences</h1>
${button(all, 'All notifications that are not required', '')}
${all ? `<h2>On every category</h2>${buttons(channels, '', '')}${sections.join('\n')}` : '<p>You get only what is required.</p>'}`,
  );
}
