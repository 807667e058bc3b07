// `npm run docs:build`: the documentation as static pages in dist/docs.
import { join } from 'node:path';
import { buildSite } from '../docs-site/build-site.ts';
import { runCommand } from '../run-command.ts';

await runCommand(async ({ root, args, report, print }) => {
  const folder = args[0] ?? join(root, 'dist', 'docs');
  const { pages, sections } = await report.step('documentation built', async () => buildSite(root, folder));
  print(`${pages} pages, ${sections} sections: ${join(folder, 'index.html')}`);
  return 0;
});
