// Which language models the flows of an organisation use, and what they may cost
// (docs/providers.md#settings-of-an-organisation).
import { useQuery } from '@tanstack/react-query';
import { isForbiddenError } from '../api/error.ts';
import { NoAccess, useAccess } from '../session/access.tsx';
import { Empty, Loading, Page, Problem } from '../ui/page.tsx';
import { settingsQuery } from './api.ts';
import { ProviderCheck } from './provider-check.tsx';
import { SettingsEditor } from './settings-editor.tsx';
import { Usage } from './usage.tsx';

export function ModelsPage() {
  const access = useAccess()('flow-builder');
  const settings = useQuery({ ...settingsQuery, enabled: access === 'signed_in' });
  return (
    <Page title="Models">
      {access !== 'signed_in' && <NoAccess service="flow-builder" access={access} icon="models" />}
      {settings.isLoading && <Loading subject="the settings of models" />}
      {isForbiddenError(settings.error) ? (
        <Empty icon="models" title="Models are for administrators">
          They decide who reads what callers say, and what that costs. Sign in with a key that has the scope
          “admin”.
        </Empty>
      ) : (
        settings.error && <Problem error={settings.error} onRetry={() => void settings.refetch()} />
      )}
      {settings.data && (
        <>
          <p className="max-w-2xl text-ink-2">
            Flows ask a language model where you wrote a condition as a sentence, where an answer holds
            several values, and where an AI agent talks. Choose who provides the models, and limit what they
            cost.
          </p>
          <div className="grid items-start gap-8 lg:grid-cols-[1fr_20rem]">
            <SettingsEditor settings={settings.data} />
            <div className="flex min-w-0 flex-col gap-6 max-lg:order-first">
              <Usage />
              <ProviderCheck />
            </div>
          </div>
        </>
      )}
    </Page>
  );
}
