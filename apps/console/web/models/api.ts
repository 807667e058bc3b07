// Provider, prices, budget and usage of models (docs/providers.md). Everything needs the scope
// admin.
import { queryOptions } from '@tanstack/react-query';
import type { components } from '@parley/sdk/flow-builder';
import { flowBuilder, readBody } from '../api/clients.ts';

type Schemas = components['schemas'];
export type ModelSettings = Schemas['ModelSettings'];
export type ModelSettingsRequest = Schemas['ModelSettingsRequest'];
export type ProviderRequest = Schemas['ModelProviderRequest'];
export type ProviderKind = ProviderRequest['kind'];
export type ModelUsage = Schemas['ModelUsageReport'];
export type GatewayCheck = Schemas['GatewayCheck']['checks'][number];

export const settingsQuery = queryOptions({
  queryKey: ['model-settings'],
  queryFn: async () => readBody(flowBuilder.GET('/v1/gateway/settings')),
});

export const usageQuery = queryOptions({
  queryKey: ['model-usage'],
  queryFn: async () => readBody(flowBuilder.GET('/v1/gateway/usage')),
});

export const putSettings = (body: ModelSettingsRequest) =>
  readBody(flowBuilder.PUT('/v1/gateway/settings', { body }));

export const deleteSettings = () => readBody(flowBuilder.DELETE('/v1/gateway/settings'));

/** Calls the models, so it takes seconds. */
export const checkGateway = () => readBody(flowBuilder.POST('/v1/gateway/check', { body: {} }));
