// `npm run dev:idp`: an identity provider with five people, for the console and the services that
// `npm start` runs with the printed variables.
import { CLIENT_ID, PEOPLE, PEOPLE_CLAIMS, startIdentityProvider } from '../../test/identity-provider.ts';
import { portBase } from '../port-base.ts';
import { runCommand } from '../run-command.ts';
import { watchSignals } from '../signals.ts';

const PORT = 4400;

await runCommand(async ({ env, print }) => {
  const consoleUrl = `http://127.0.0.1:${portBase(env) - 1}`;
  const { issuer, keysUrl, close } = await startIdentityProvider({ port: PORT, consoleUrl });
  const variables = {
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: CLIENT_ID,
    OIDC_SCOPES: 'openid email',
    IDENTITY_JWKS_URL: keysUrl,
    IDENTITY_ISSUER: issuer,
    IDENTITY_AUDIENCE: CLIENT_ID,
    IDENTITY_CLAIMS: PEOPLE_CLAIMS,
  };
  const words = Object.entries(variables).map(([name, value]) => `${name}='${value}'`);
  print(`An identity provider answers at ${issuer}. In another terminal:\n`);
  print(`  ${[...words, 'npm start'].join(' \\\n  ')}\n`);
  print(`Sign in as ${Object.keys(PEOPLE).join(', ')} with any password. Ctrl-C stops it.`);
  const stopped = watchSignals(
    env['npm_lifecycle_event'] !== undefined,
    () => undefined,
    () => process.exit(1),
  );
  await new Promise<void>((resolve) => stopped.signal.addEventListener('abort', () => resolve()));
  close();
  return 0;
});
