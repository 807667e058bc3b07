// How long parts of conversations are stored (docs/voice-api.md#retention).
import { queryOptions } from '@tanstack/react-query';
import type { components } from '@parley/sdk/voice-api';
import { readData, voiceApi } from '../api/clients.ts';

export type Retention = components['schemas']['Retention'];
export type RetentionChange = components['schemas']['RetentionChange'];

const at = (bot: string) => ({ params: { path: { bot_id: bot } } });

/** Of the organisation where there is no bot. */
export const retentionQuery = (bot: string | undefined) =>
  queryOptions({
    queryKey: ['retention', bot ?? ''],
    queryFn: () =>
      readData(
        bot === undefined
          ? voiceApi.GET('/v1/retention')
          : voiceApi.GET('/v1/bots/{bot_id}/retention', at(bot)),
      ),
  });

export const putRetention = (bot: string | undefined, body: RetentionChange) =>
  readData(
    bot === undefined
      ? voiceApi.PUT('/v1/retention', { body })
      : voiceApi.PUT('/v1/bots/{bot_id}/retention', { ...at(bot), body }),
  );
