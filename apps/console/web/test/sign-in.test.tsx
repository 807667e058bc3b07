import { afterEach, expect, test } from '@jest/globals';
import { screen } from '@testing-library/react';
import { openAt } from './page-under-test.tsx';

const realFetch = globalThis.fetch;
afterEach(() => void (globalThis.fetch = realFetch));

const nobody = { with: null, identity_provider: 'Example' };
const another = 'Sign in with another account';

test.each([
  ['organization', /Your account belongs to no organisation.*`organization_id`/, true],
  ['token', /IDENTITY_AUDIENCE/, true],
  ['rights', /`scope`/, true],
  ['refused', /did not sign you in/, true],
  ['lifetime', /24 hours/, false],
  ['clock', /30 seconds/, false],
  ['services', /cannot check your account at the moment/, false],
  ['provider', /cannot be reached/, false],
])('explains %s, and offers another account when that may help', async (problem, words, offered) => {
  openAt(`/sign-in?problem=${problem}&next=%2Fkeys`, {}, nobody);
  expect(await screen.findByText(words)).toBeTruthy();
  await screen.findByRole('link', { name: 'Continue with Example' });
  const link = screen.queryByRole('link', { name: another });
  expect(link?.getAttribute('href')).toBe(offered ? '/session/identity?another=1&next=%2Fkeys' : undefined);
});

test('ignores an unknown problem', async () => {
  openAt('/sign-in?problem=large', {}, nobody);
  await screen.findByRole('link', { name: 'Continue with Example' });
  expect(screen.queryByRole('alert')).toBeNull();
});
