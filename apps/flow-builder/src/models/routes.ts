// The endpoints that try the provider of models, and sum what it took (docs/providers.md).
import { get, post, type Endpoint } from '@parley/server/http';
import type { Deps } from '../deps.ts';
import { createProviderCheck } from './check-provider.ts';
import { readUsage } from './read-usage.ts';
import { checkRequest, providerCheck, usageReport } from './schemas.ts';

export function modelEndpoints(deps: Deps): Endpoint[] {
  const checkProvider = createProviderCheck(deps);
  return [
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
