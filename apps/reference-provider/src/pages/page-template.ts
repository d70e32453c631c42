import { Eta } from 'eta';

const eta = new Eta({ autoEscape: true, cache: true });

export const STYLESHEET = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0 auto; max-width: 44rem; padding: 1rem; }
header { color: #a40; font-weight: 600; }
label { display: block; font-weight: 600; }
input, button { font: inherit; padding: 0.5rem; }
.error { color: #b00; }
table { border-collapse: collapse; }
td, th { padding: 0.2rem 1rem 0.2rem 0; text-align: left; }
`;

const LAYOUT = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title><%= it.title %> · Reference provider</title>
<link rel="stylesheet" href="/assets/provider.css">
</head>
<body>
<header>Reference provider: test money only</header>
<main>
<h1><%= it.title %></h1>
<%~ it.body %>
</main>
</body>
</html>
`;
eta.loadTemplate('@layout', LAYOUT);

/** Compiles a template to a function that renders a page as HTML. Values in `<%=` tags are escaped. */
export function pageTemplate<Data extends object>(title: string, template: string): (data: Data) => string {
  const render = eta.compile(`<% layout('@layout', { title: '${title}' }) %>\n${template}`);
  return (data) => eta.render(render, data);
}
