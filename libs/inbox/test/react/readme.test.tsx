// The components of the README.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ComponentType, ReactNode } from 'react';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { InboxProvider } from '../../src/react/index.ts';
import { render, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { fakeService } from './fake-service.ts';

interface Readme {
  readonly Header: ComponentType<{ user: { id: string; identityToken: () => Promise<string> } }>;
  readonly Bills: () => ReactNode;
}

/** Inside the repository, so that imports resolve. */
const folder = fileURLToPath(new URL(`../../../../dist/inbox-readme-${process.pid}/`, import.meta.url));
const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
const user = userEvent.setup();
const service = fakeService();
let written: Readme;

beforeAll(async () => {
  const source = [...readme.matchAll(/^```tsx\n(.*?)^```$/gms)].map(([, code]) => code).join('\n');
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}page.tsx`, source.replace("import '@parley/inbox/styles.css';", '')); // bundlers handle it
  written = (await import(`${folder}page.tsx`)) as Readme;
  globalThis.fetch = service.fetch;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the bell of the header opens the list', async () => {
  service.put({ title: 'Dinner is ready' });
  render(<written.Header user={{ id: 'ada', identityToken: async () => 'token' }} />);
  await user.click(await screen.findByRole('button', { name: 'Notifications, 1 unread' }));
  await screen.findByRole('button', { name: 'Dinner is ready' });
});

test('the hook returns items of a category and actions', async () => {
  service.put({ id: 'bill', title: 'Water', category: 'bills' });
  render(
    <InboxProvider url="https://notifications.example" userId="ben">
      <written.Bills />
    </InboxProvider>,
  );
  await user.click(await screen.findByRole('button', { name: 'Pay Water' }));
  await waitFor(() => expect(service.item('bill')!.archived_at).not.toBeNull());
});
