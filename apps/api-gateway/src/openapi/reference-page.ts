import { DEMO_APP } from '@settle/contracts';

/**
 * Starts the viewer. It is a separate file because the content security policy of the page forbids inline scripts.
 * A developer who requests a token there gets it from the page of the demo app, and pastes it into the viewer.
 */
export const VIEWER_START = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  oauth2RedirectUrl: location.origin + '${DEMO_APP.redirectPath}',
  validatorUrl: null,
});
`;

/** The page at `/docs`. @param version of the viewer */
export function referencePage(version: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Settle: API reference</title>
<link rel="icon" href="/v1/oauth/assets/settle.svg">
<link rel="stylesheet" href="/docs/${version}/swagger-ui.css">
<script src="/docs/${version}/swagger-ui-bundle.js" defer></script>
<script src="/docs/start.js" defer></script>
</head>
<body>
<div id="reference"></div>
<noscript><p>This page needs scripts. The same in one file: <a href="/openapi.json">openapi.json</a>.</p></noscript>
</body>
</html>
`;
}

/**
 * The content policy of the page: files of ours only, nothing inline; the viewer's own pictures are data. Calls that
 * are tried out go to the public address, wherever the page was opened.
 * @param publicUrl an origin
 */
export function referencePolicy(publicUrl: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src 'self' ${publicUrl}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
