import type { BaseDeps } from '../base-deps.ts';
import type { BlockCache } from './block-cache.ts';

export interface Deps extends BaseDeps {
  /** Cached columns of analytics blocks. */
  readonly blockCache: BlockCache;
}
