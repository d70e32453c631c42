import { hash } from 'node:crypto';

const STYLE = `
body { max-width: 38rem; margin: 12vh auto 4rem; padding: 0 1.25rem; font: 1.05rem/1.6 system-ui, sans-serif; color: #1d2b2a; }
h1 { margin: 0; font-size: 2.2rem; }
a { color: #1f6660; }
code { padding: .1em .35em; border-radius: .25em; background: #eef3f2; overflow-wrap: anywhere; }
dt { margin-top: 1.1rem; font-weight: 600; }
dd { margin: 0; }
@media (prefers-color-scheme: dark) {
  body { background: #101716; color: #dfe9e8; }
  a { color: #7fd1c8; }
  code { background: #1d2928; }
}
`;

/** What a content policy names the page's style by. */
export const HOME_STYLE_SOURCE = `'sha256-${hash('sha256', STYLE, 'base64')}'`;

/** The page at `/`: what this is and where to go. @param publicUrl an origin, checked by the settings */
export function homePage(publicUrl: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Settle</title>
<style>${STYLE}</style>
</head>
<body>
<h1>Settle</h1>
<p>A wallet for paying people: balances, payments, and requests for money, behind one HTTP interface.</p>
<dl>
<dt>For people</dt>
<dd>An app that wants to act for you sends you here to sign in, and says what it asks for.</dd>
<dt>The interface</dt>
<dd>Everything is below <code>${publicUrl}/v1</code> and needs an access token:
<code>curl ${publicUrl}/v1/me -H "Authorization: Bearer …"</code>
<br>All of it: <a href="/docs">the reference</a>, and <a href="/openapi.json">the same for programs</a>.</dd>
</dl>
</body>
</html>
`;
}
