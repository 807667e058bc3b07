// The endpoints that try the provider of models, and sum what it took (docs/providers.md).
import { del, get, post, put, type Endpoint } from '@parley/server/http';
import type { Deps } from '../deps.ts';
import { createProviderCheck } from './check-provider.ts';
import { changeSettings, deleteSettings, readSettings } from './manage-settings.ts';
import { readUsage } from './read-usage.ts';
import { checkRequest, modelSettings, modelSettingsRequest, providerCheck, usageReport } from './schemas.ts';

export function modelEndpoints(deps: Deps): Endpoint[] {
  const checkProvider = createProviderCheck(deps);
  return [
    ...settingsEndpoints(deps),
    get(
      '/gateway/usage',
      {
        operationId: 'getModelUsage',
        summary: 'Get the tokens and the cost of models, by month',
        scope: 'admin', // it is about money, as the check
        replies: { 200: usageReport },
      },
      ({ caller }) => readUsage(deps, caller),
    ),
    post(
      '/gateway/check',
      {
        operationId: 'checkGateway',
        summary: 'Try classifier, extractor and agent with the configured provider of models',
        scope: 'admin', // it costs money, and shows the names of the models
        body: checkRequest,
        replies: { 200: providerCheck },
        refusals: ['concurrency_limited'],
      },
      ({ caller }) => checkProvider(caller),
    ),
  ];
}

function settingsEndpoints(deps: Deps): Endpoint[] {
  return [
    get(
      '/gateway/settings',
      {
        operationId: 'getModelSettings',
        summary: 'Get provider, fallback, prices and budget of models, without keys',
        scope: 'admin',
        replies: { 200: modelSettings },
      },
      ({ caller }) => readSettings(deps, caller),
    ),
    put(
      '/gateway/settings',
      {
        operationId: 'putModelSettings',
        summary: 'Set provider, fallback, prices and budget of models',
        scope: 'admin', // it decides who reads what callers say, and what that costs
        body: modelSettingsRequest,
        replies: { 200: modelSettings },
      },
      ({ caller, body }) => changeSettings(deps, caller, body),
    ),
    del(
      '/gateway/settings',
      {
        operationId: 'deleteModelSettings',
        summary: 'Delete the model settings: those of the deployment apply again',
        scope: 'admin',
        replies: { 200: modelSettings },
      },
      ({ caller }) => deleteSettings(deps, caller),
    ),
  ];
}
