// Exports of the voice API.
import { queryOptions } from '@tanstack/react-query';
import { bodyOf, dataOf, voiceApi } from '../api/clients.ts';
import type { components } from '@parley/sdk/voice-api';

export type Export = components['schemas']['Export'];
export type NewExport = components['schemas']['NewExport'];
export type Format = Export['format'];

const UNDER_WAY_EVERY_MS = 2_000;

const isUnderWay = ({ status }: Export): boolean => status === 'queued' || status === 'running';

export const exportsQuery = (cursor: string | undefined) =>
  queryOptions({
    queryKey: ['exports', cursor],
    queryFn: () => dataOf(voiceApi.GET('/v1/exports', { params: { query: { cursor } } })),
    refetchInterval: ({ state }) => (state.data?.items.some(isUnderWay) ? UNDER_WAY_EVERY_MS : false),
  });

export const createExport = (body: NewExport) => dataOf(voiceApi.POST('/v1/exports', { body }));

/** Reads the missing parts of a file in order, so that an interrupted download continues. */
export async function readParts(
  { id, parts: all }: Pick<Export, 'id' | 'parts'>,
  had: readonly Blob[],
  told: (parts: readonly Blob[]) => void,
): Promise<readonly Blob[]> {
  let parts = had;
  while (parts.length < all) {
    const path = { export_id: id, part: parts.length + 1 };
    const part = await bodyOf(
      voiceApi.GET('/v1/exports/{export_id}/parts/{part}', { params: { path }, parseAs: 'blob' }),
    );
    parts = [...parts, part];
    told(parts);
  }
  return parts;
}
