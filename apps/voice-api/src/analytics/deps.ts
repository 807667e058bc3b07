import type { Deps as RetentionDeps } from '../retention/deps.ts';
import type { BlockCache } from './block-cache.ts';

export interface Deps extends RetentionDeps {
  /** Cached columns of analytics blocks. */
  readonly blockCache: BlockCache;
}
