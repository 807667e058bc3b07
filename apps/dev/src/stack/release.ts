// Assembles what the images hold, from ready bundles: outside the checkout, where nothing of its
// node_modules is found.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ServiceName } from './services.ts';
import { runStep } from '@parley/testing/servers';

/** Each has an image. */
export type ImageName = ServiceName | 'console';

/** Where `main.mjs` of each program lies. */
export interface Programs {
  main(image: ImageName): string;
  /** The operator's program; in an image it has the migrations of its own service only. */
  cli(service: ServiceName): string;
}

export function programsInDist(distDir: string): Programs {
  const mainOf = (app: string) => join(distDir, 'apps', app, 'main.mjs');
  return { main: mainOf, cli: () => mainOf('cli') };
}

/** The release folder of a stack; also where to look when `home` is removed. */
export function releasePlace(home: string): string {
  return join('/var/tmp', `parley-release-${createHash('sha256').update(home).digest('hex').slice(0, 16)}`);
}

/**
 * Makes `folder`, and in it one folder for each image with what docker/Dockerfile copies into
 * `/app`. `dist` of the checkout holds the bundles.
 * @throws Error when `folder` exists, or when Node would find packages in a folder above it
 */
export async function assembleRelease(
  root: string,
  folder: string,
  images: readonly ImageName[],
): Promise<Programs> {
  refusePackagesAbove(folder);
  mkdirSync(folder, { mode: 0o755 });
  const collect = (image: ImageName) =>
    runStep(
      `The image of ${image} could not be assembled`,
      'sh',
      ['docker/collect.sh', image, join(folder, image)],
      {
        cwd: root,
      },
    );
  await Promise.all(images.map(collect));
  return {
    main: (image) => join(folder, image, 'service', 'main.mjs'),
    cli: (service) => join(folder, service, 'cli', 'main.mjs'),
  };
}

/** @throws Error: a bundle that lacks a package must not find one where it is tried. */
export function refusePackagesAbove(folder: string): void {
  for (let above = folder; above !== dirname(above); above = dirname(above)) {
    const found = join(dirname(above), 'node_modules');
    if (existsSync(found)) throw new Error(`A release is not tried in ${folder}: Node would find ${found}.`);
  }
}
