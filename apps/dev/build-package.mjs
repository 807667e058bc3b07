// Makes the package that others install of a library: plain JavaScript with its types, and the
// style sheets that it exports. `node apps/dev/build-package.mjs libs/sdk [folder]`, by default
// dist/libs/sdk. Packages of ours that it depends on lie beside it.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const [library, folder = join(root, 'dist', library)] = process.argv.slice(2);
const source = join(root, library, 'src');
const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));
const { version, license, engines, homepage, repository } = readJson(join(root, 'package.json'));
const own = readJson(join(root, library, 'package.json'));
const { name, description, type, sideEffects, exports } = own;
const { dependencies = {}, peerDependencies, peerDependenciesMeta } = own;

/**
 * Others have the package that was made of a dependency, so its types are taken from there and not
 * from its sources.
 */
const paths = Object.fromEntries(
  Object.keys(dependencies).flatMap((one) => {
    const place = join(dirname(folder), one.replace('@parley/', ''));
    const entries = Object.entries(readJson(join(place, 'package.json')).exports);
    return entries.map(([entry, { types }]) => [join(one, entry), [join(place, types)]]);
  }),
);

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const config = join(folder, 'tsconfig.json');
const compilerOptions = {
  noEmit: false,
  declaration: true,
  rewriteRelativeImportExtensions: true,
  rootDir: source,
  outDir: folder,
  paths,
};
writeFileSync(
  config,
  JSON.stringify({ extends: join(source, 'tsconfig.json'), compilerOptions, include: [source] }),
);
execFileSync(process.execPath, ['node_modules/typescript7/bin/tsc', '-p', config], {
  cwd: root,
  stdio: 'inherit',
});
rmSync(config);

const built = ([entry, path]) => {
  const place = path.replace('./src/', './');
  if (!/\.tsx?$/.test(place)) {
    copyFileSync(join(root, library, path), join(folder, place));
    return [entry, place];
  }
  const stem = place.replace(/\.tsx?$/, '');
  return [entry, { types: `${stem}.d.ts`, default: `${stem}.js` }];
};
const manifest = {
  name,
  description,
  version,
  license,
  // Of the fork that publishes: its root package.json names them.
  ...(homepage && { homepage }),
  ...(repository && { repository: { ...repository, directory: library } }),
  type,
  engines,
  sideEffects,
  exports: Object.fromEntries(Object.entries(exports).map(built)),
  ...(Object.keys(dependencies).length > 0 && {
    dependencies: Object.fromEntries(Object.keys(dependencies).map((one) => [one, version])),
  }),
  ...(peerDependencies && { peerDependencies, peerDependenciesMeta }),
};
writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
copyFileSync(join(root, library, 'README.md'), join(folder, 'README.md'));
copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
