// The endpoint that tries the provider of models (docs/providers.md#check).
import { post, type Endpoint } from '@parley/server/http';
import type { Deps } from '../deps.ts';
import { createProviderCheck } from './check-provider.ts';
import { checkRequest, providerCheck } from './schemas.ts';

export function modelEndpoints(deps: Deps): Endpoint[] {
  const checkProvider = createProviderCheck(deps);
  return [
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
