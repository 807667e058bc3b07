// `npm run test:browser`: people sign in at a real identity provider, each sees what is theirs, and
// signing out ends both sides.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { CLIENT_ID, PEOPLE_CLAIMS, startIdentityProvider } from '@parley/dev/identity-provider';
import { freePort } from '@parley/testing/servers';
import { ask, FLOW } from '../browser-seed.ts';
import { lookAt, openPage, picture, startBrowser } from '../browser-under-test.ts';

const portBase = (await freePort(5)) + 1; // the console has the one before
const consoleUrl = `http://127.0.0.1:${portBase - 1}`;
const provider = await startIdentityProvider({ port: await freePort(), consoleUrl });
const under = await startBrowser(undefined, {
  portBase,
  env: {
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: CLIENT_ID,
    OIDC_SCOPES: 'openid email',
    OIDC_NAME: 'Example',
    IDENTITY_JWKS_URL: provider.keysUrl,
    IDENTITY_ISSUER: provider.issuer,
    IDENTITY_AUDIENCE: CLIENT_ID,
    IDENTITY_CLAIMS: PEOPLE_CLAIMS,
  },
});
const { step } = under;

/** On the sign-in page, through the forms of the provider, until the console is back. */
async function signIn(page: Page, login: string, button = 'Continue with Example') {
  await page.getByRole('link', { name: button }).click();
  await page.locator('input[name=login]').fill(login);
  await page.locator('input[name=password]').fill('any');
  await page.locator('button[type=submit]').click();
  await page.locator('form button').first().click(); // consent
  await page.waitForURL(`${consoleUrl}/**`);
}

try {
  await ask(under.stack.services['flow-builder'], '/v1/flows', FLOW);
  const watched = await openPage(under);
  const { page } = watched;
  const text = (words: string | RegExp) => page.getByText(words).first().waitFor();

  await step('an administrator signs in and sees flows and keys', async () => {
    await page.goto(`${consoleUrl}/flows`);
    await signIn(page, 'ada');
    await page.getByRole('link', { name: FLOW.name }).waitFor();
    await text('ada@example.com');
    await page.goto(`${consoleUrl}/keys`);
    await text('development stack');
  });

  await step('signing out ends the session on both sides', async () => {
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(`${provider.issuer}/**`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(`${consoleUrl}/sign-in**`);
    await page.goto(`${consoleUrl}/flows`);
    await page.getByRole('link', { name: 'Continue with Example' }).waitFor();
  });

  await step('an account without an organisation is told so, and another one helps', async () => {
    await signIn(page, 'nemo');
    await text(/belongs to no organisation/);
    await signIn(page, 'sam', 'Sign in with another account');
    await page.getByRole('link', { name: FLOW.name }).waitFor();
    await text('sam@example.com');
  });

  await step('a support role reads and changes nothing', async () => {
    const saved = await page.evaluate(async (flow) => {
      const body = JSON.stringify(flow);
      const headers = { 'content-type': 'application/json' };
      return (await fetch('/api/flow-builder/v1/flows', { method: 'POST', body, headers })).status;
    }, FLOW);
    assert.equal(saved, 403);
  });

  const second = await openPage(under, { width: 390 });
  await step('a person of two organisations chooses, and switches', async () => {
    const { page } = second;
    await page.goto(consoleUrl);
    await signIn(page, 'mia');
    await page.getByRole('heading', { name: 'Choose an organisation' }).waitFor();
    await picture(page, 'choose-organization-390');
    await page.getByRole('button', { name: 'globex' }).click();
    await page.goto(`${consoleUrl}/flows`);
    await page
      .getByText(/no flows? yet/i)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('dialog').getByLabel('Organisation').selectOption('demo');
    await page.goto(`${consoleUrl}/flows`);
    await page.getByRole('link', { name: FLOW.name }).waitFor();
  });

  const problems = await lookAt(under, watched, { 'signed-in-support': '/flows' });
  await step('no page has a problem', async () => {
    // The pages of the provider ask for fonts and an icon; a support role is refused what is not
    // for it.
    const atProvider = (complaint: string) =>
      complaint.includes(provider.issuer) || /40[134]|fonts|NAME_NOT_RESOLVED/.test(complaint);
    const complaints = [...problems, ...under.opened.flatMap((one) => one.complaints)];
    assert.deepEqual(
      complaints.filter((one) => !atProvider(one)),
      [],
    );
  });
} finally {
  await under.stop();
  provider.close();
}
