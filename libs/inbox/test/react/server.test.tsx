/** @jest-environment node */
// Where pages are drawn on a server: nothing is asked there, and nothing needs a document.
import { expect, test } from '@jest/globals';
import { Inbox, InboxPanel, InboxProvider } from '../../src/react/index.ts';
import { renderToString } from 'react-dom/server';

test('the bell and the list are drawn as they are before anything is known', () => {
  const html = renderToString(
    <InboxProvider url="https://notifications.example" userId="ada">
      <Inbox open />
      <InboxPanel />
    </InboxProvider>,
  );
  expect(html).toContain('aria-label="Notifications"');
  expect(html).toContain('Loading …');
  expect(html).not.toContain('role="dialog"');
});
