// `npm run release:dry`: everything that a tag makes, without publishing it: packages, charts, the
// documentation, the rehearsed images, notes and checksums, in dist/release.
// .github/workflows/release.yml publishes the same files.
import { join } from 'node:path';
import { fetchHelm, fetchSchemas } from '../cluster-tools.ts';
import { buildSite } from '../docs-site/build-site.ts';
import { requirePython } from '../require-python.ts';
import { CommandError, runCommand } from '../run-command.ts';
import {
  packCharts,
  packParley,
  packLibrary,
  packPython,
  packSite,
  prepareFolder,
  readReleaseFiles,
  writeChecksums,
  writeNotes,
} from '../shipping/release.ts';
import { tryPackage } from '../shipping/try-package.ts';
import { releaseProblems } from '../shipping/release.rules.ts';
import { bundleApps } from '../stack/index.ts';
import { runNode } from '../throwaway.ts';

/** What a newcomer is asked to wait for. */
const DOWNLOAD_MB_MAX = 80;
/** Twice what it takes at most on a quiet machine: CI's are busy. */
const START_SECONDS_MAX = 30;

await runCommand(async (context) => {
  const { root, args, report, print, env } = context;
  const withImages = !args.includes('--skip-images');
  const files = readReleaseFiles(root);
  const isTag = args.includes('--tag');
  const problems = releaseProblems(files, isTag);
  if (problems.length > 0) throw new CommandError(problems.join('\n'));
  const { version } = files;
  const folder = prepareFolder(root);
  await requirePython();
  await report.step('packages of npm', async () => {
    for (const library of ['sdk', 'inbox', 'portal']) await packLibrary(root, library, folder);
    await bundleApps({ root });
    await packParley(root, folder);
  });
  await report.step('package started in an empty folder', async () => {
    const { downloadMb, startSeconds } = await tryPackage(join(folder, `parley-${version}.tgz`));
    report.note(
      `  npx parley: download ${downloadMb.toFixed(0)} MB, started in ${startSeconds.toFixed(1)} s`,
    );
    if (downloadMb > DOWNLOAD_MB_MAX)
      throw new CommandError(`\`npx parley\` downloads more than ${DOWNLOAD_MB_MAX} MB.`);
    if (startSeconds > START_SECONDS_MAX)
      throw new CommandError(`\`npx parley\` takes more than ${START_SECONDS_MAX} s to start.`);
  });
  await report.step('package of Python', () => packPython(root, folder));
  await report.step('Helm charts', async () => {
    const helm = await fetchHelm(env['PATH'] ?? '', await fetchSchemas(root));
    await packCharts(root, helm, folder);
  });
  await report.step('documentation', async () => {
    const site = join(folder, 'docs');
    buildSite(root, site);
    await packSite(site, join(folder, `docs-${version}.tar.gz`));
  });
  if (withImages) {
    const rehearsal = ['apps/dev/bootstrap.mjs', 'image-rehearse'];
    const status = await runNode(context, rehearsal, {}, new AbortController().signal);
    if (status !== 0) throw new CommandError('The images failed their rehearsal: see above.');
  }
  writeNotes(files, join(folder, 'notes.md'));
  for (const line of writeChecksums(folder)) print(`  ${line}`);
  print(`Version ${version}, nothing published: ${folder}`);
  return 0;
});
