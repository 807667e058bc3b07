// The frame around a page: title with the version, search, navigation, the sections of the page.
import { addressOf } from './collect-pages.ts';
import { NAVIGATION } from './navigation.ts';
import { escapeHtml, type RenderedPage } from './render-page.ts';

interface LayOutOptions extends RenderedPage {
  readonly address: string;
  readonly version: string;
  /** The address of another place of the site from this page. */
  readonly to: (address: string) => string;
}

/** Above this a list of sections is longer than the page is useful. */
const SECTIONS_MAX = 40;

export function layOut({ address, version, to, title, html, sections }: LayOutOptions): string {
  const groups = NAVIGATION.map(
    (group) =>
      `<h2>${group.title}</h2><ul>${group.pages
        .map(([path, label]) => {
          const place = path.endsWith('.md') ? addressOf(path) : path;
          const current = place === address ? ' aria-current="page"' : '';
          return `<li><a href="${to(place)}"${current}>${label}</a></li>`;
        })
        .join('')}</ul>`,
  ).join('');
  const onPage = sections
    .filter(({ anchor }) => anchor !== '')
    .slice(0, SECTIONS_MAX)
    .map((one) => `<li><a href="#${one.anchor}">${escapeHtml(one.title)}</a></li>`)
    .join('');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Parley ${version}</title>
<link rel="stylesheet" href="${to('assets/site.css')}">
<script type="module" src="${to('assets/search.js')}"></script>
</head>
<body data-top="${to('assets/search.json').replace('assets/search.json', '')}">
<header><a href="${to('index.html')}">Parley <small>${version}</small></a>
<search><input type="search" id="search" placeholder="Search" aria-label="Search" aria-controls="found" autocomplete="off">
<ul id="found" hidden></ul></search></header>
<nav aria-label="Pages">${groups}</nav>
<main>${html}</main>
<aside><nav aria-label="On this page"><ul>${onPage}</ul></nav></aside>
</body>
</html>
`;
}
