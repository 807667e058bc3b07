// Exports of the voice API.
import { queryOptions } from '@tanstack/react-query';
import { readBody, readData, voiceApi } from '../api/clients.ts';
import type { components } from '@parley/sdk/voice-api';

export type Export = components['schemas']['Export'];
export type NewExport = components['schemas']['NewExport'];
export type Format = Export['format'];

const RUNNING_POLL_MS = 2_000;

const isRunning = ({ status }: Export): boolean => status === 'queued' || status === 'running';

export const exportsQuery = (cursor: string | undefined) =>
  queryOptions({
    queryKey: ['exports', cursor],
    queryFn: () => readData(voiceApi.GET('/v1/exports', { params: { query: { cursor } } })),
    refetchInterval: ({ state }) => (state.data?.items.some(isRunning) ? RUNNING_POLL_MS : false),
  });

export const createExport = (body: NewExport) => readData(voiceApi.POST('/v1/exports', { body }));

/** Reads the missing parts of a file in order, so that an interrupted download continues. */
export async function readParts(
  { id, parts: all }: Pick<Export, 'id' | 'parts'>,
  loaded: readonly Blob[],
  onPart: (parts: readonly Blob[]) => void,
): Promise<readonly Blob[]> {
  let parts = loaded;
  while (parts.length < all) {
    const path = { export_id: id, part: parts.length + 1 };
    const part = await readBody(
      voiceApi.GET('/v1/exports/{export_id}/parts/{part}', { params: { path }, parseAs: 'blob' }),
    );
    parts = [...parts, part];
    onPart(parts);
  }
  return parts;
}
