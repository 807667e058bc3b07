// The licences of every package that is inside the given bundles, on standard output: who ships a
// package's code ships its licence.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** What a licence file may be called. */
const LICENCE = /^(licen[cs]e|copying|notice)([.-].*)?$/i;

/** Sources of the page of a bundle that has one, those of its workers too. */
function pageSources(bundle) {
  const assets = join(bundle, 'web', 'assets');
  if (!existsSync(assets)) return [];
  const maps = readdirSync(assets).filter((file) => file.endsWith('.map'));
  const sources = maps.flatMap((file) => JSON.parse(readFileSync(join(assets, file), 'utf8')).sources);
  return sources.map((path) => path.replace(/^(\.\.\/)*/, '')); // named from where the map lies
}

const folders = new Set();
for (const bundle of process.argv.slice(2)) {
  const sources = Object.keys(JSON.parse(readFileSync(join(bundle, 'made-from.json'), 'utf8')));
  for (const path of [...sources, ...pageSources(bundle)]) {
    const found = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path);
    if (found) folders.add(found[0]);
  }
}

const texts = [...folders].sort().map((folder) => {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const files = readdirSync(folder).filter((file) => LICENCE.test(file));
  const words = files.map((file) => readFileSync(join(folder, file), 'utf8').trim());
  return [`${name} ${version} (${license ?? 'no licence named'})`, ...words].join('\n\n');
});
process.stdout.write(`${texts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`);
