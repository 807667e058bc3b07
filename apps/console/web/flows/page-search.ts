// URL parameters of the flow pages.
import * as z from 'zod';
import { listSearch, text } from '../lists/list-search.ts';

export const panels = ['inspector', 'json', 'problems', 'try', 'tests', 'versions', 'assistant'] as const;
export type Panel = (typeof panels)[number];

const version = z.int().min(1).optional().catch(undefined);

/** Invalid parameters are ignored. */
export const flowSearch = z.object({
  panel: z.enum(panels).optional().catch(undefined),
  /** The selection on the canvas. */
  node: z.string().max(128).optional().catch(undefined),
  edge: z.int().min(0).optional().catch(undefined),
});

export const compareSearch = z.object({ from: version, to: version });
export const callersSearch = z.object({ version });

export const flowListSearch = z.object({
  columns: listSearch.columns,
  q: text,
  published: z.enum(['true', 'false']).optional().catch(undefined),
});
