/**
 * The site of the documents. They are written for the code host, so that the site follows the repository: its pages are
 * the Markdown files of the root folder, of `docs/` and of the client libraries. A link to a page that does not exist
 * ends the build.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { markdownIn, PAGES, root, sitePath } from '../pages.mjs';

/** Where readers find other files of the repository, such as `https://example.com/settle/blob/main`. */
const sourceUrl = process.env.DOCS_SOURCE_URL?.replace(/\/$/, '');

/** Groups of the sidebar with their pages, or folders of pages. Other pages of `docs/` follow in a last group. */
const GROUPS = {
  Start: ['README.md', 'docs/quickstart', 'docs/tutorials'],
  'The API': ['interface', 'sdks', 'clients', 'sandbox', 'pages', 'errors', 'conformance'].map(
    (name) => `docs/${name}.md`,
  ),
  'Payment events': ['docs/events', 'docs/analytics.md', 'docs/topics.md'],
  Operate: [
    ...[
      'operations',
      'kubernetes',
      'releases',
      'backup',
      'settings',
      'metrics',
      'monitoring',
      'security-log',
      'providers',
    ],
    ...['eventstoredb', 'scaling'],
  ].map((name) => `docs/${name}.md`),
  Performance: ['', '-stack', '-large', '-provider', '-overhead'].map((name) => `docs/performance${name}.md`),
  Develop: ['CONTRIBUTING.md', 'docs/architecture.md', 'docs/glossary.md', 'SECURITY.md', 'CHANGELOG.md'],
  Decisions: ['docs/adr'],
};

function sidebarItem(page) {
  const [, title = page] = /^# (.+)$/m.exec(readFileSync(path.join(root, page), 'utf8')) ?? [];
  return { text: title.replaceAll('`', ''), link: `/${sitePath(page).replace(/(?:index)?\.md$/, '')}` };
}

function sidebar() {
  const groups = Object.entries(GROUPS).map(([text, entries]) => ({
    text,
    pages: entries.flatMap((entry) => (entry.endsWith('.md') ? [entry] : markdownIn(entry))),
  }));
  const listed = new Set(groups.flatMap(({ pages }) => pages));
  const others = markdownIn('docs').filter((page) => !listed.has(page));
  return [...groups, { text: 'More', pages: others }]
    .filter(({ pages }) => pages.length > 0)
    .map(({ text, pages }) => ({ text, collapsed: text !== 'Start', items: pages.map(sidebarItem) }));
}

/** Returns the address for a link of a page, or null for a file of the repository that the site does not have. */
function siteHref(href, folder) {
  if (/^(?:[a-z]+:|#)/i.test(href)) return href;
  const [target, part] = href.split('#');
  const file = path.posix.join(folder, target);
  if (PAGES.includes(file)) return sitePath(target) + (part === undefined ? '' : `#${part}`);
  // A wrong link stays, so that the build reports it.
  if (!existsSync(path.join(root, file))) return href;
  return sourceUrl === undefined ? null : `${sourceUrl}/${file}`;
}

/** Adapts the links of a page to the site. Links to files that the site does not have become plain text. */
function adaptLinks(markdown) {
  markdown.core.ruler.push('repository-links', ({ tokens, env }) => {
    const folder = path.posix.dirname(env.relativePath);
    for (const { children } of tokens.filter(({ type }) => type === 'inline')) {
      const removed = [];
      let isRemoved = false;
      for (const token of children) {
        if (token.type === 'link_open') {
          const href = siteHref(token.attrGet('href'), folder);
          isRemoved = href === null;
          if (!isRemoved) token.attrSet('href', href);
        }
        if (isRemoved && token.type.startsWith('link_')) removed.push(token);
      }
      children.splice(0, children.length, ...children.filter((token) => !removed.includes(token)));
    }
  });
}

export default {
  title: 'Settle',
  srcDir: 'dist/pages',
  outDir: 'dist/site',
  cacheDir: 'node_modules/.vitepress',
  // Those of a product that runs on the reader's machine.
  ignoreDeadLinks: 'localhostLinks',
  // The pages have no HTML, and words such as <token> are text.
  markdown: { html: false, linkify: false, config: adaptLinks },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar: sidebar(),
  },
};
