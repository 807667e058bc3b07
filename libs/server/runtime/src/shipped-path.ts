// Finds files that ship with a bundle: page assets, wasm, migrations, programs of threads.
import { join } from 'node:path';

/**
 * Defined by the banner of every file of a bundle (apps/dev/src/stack/bundle.ts); absent in
 * source.
 */
declare const __bundleFolder: string | undefined;

/**
 * The path of a file or folder next to the bundle's entry, whichever chunk calls. `name` must be a
 * literal: the build reads it and fails when the bundle lacks it. `inSource` finds it in a
 * checkout.
 */
export function shippedPath(name: string, inSource: () => string): string {
  return typeof __bundleFolder === 'undefined' ? inSource() : join(__bundleFolder, name);
}
