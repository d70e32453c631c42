import { LOGO_PATH, STYLESHEET_PATH } from './stylesheet.js';

/**
 * The layout of every page. Parameters: `title`; `isWide` for pages with more than one small card; `account` for pages of
 * a signed-in user, an `AccountHeader`.
 */
export const LAYOUT = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title><%= it.title %> · Settle</title>
<link rel="icon" href="${LOGO_PATH}">
<link rel="stylesheet" href="${STYLESHEET_PATH}">
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header class="top">
<a class="brand" href="/"><img src="${LOGO_PATH}" alt="" width="28" height="28">Settle</a>
<% if (it.account) { %>
<nav aria-label="Your account">
<% for (const page of it.account.pages) { %><a href="<%= page.path %>"<% if (page.path === it.account.currentPath) { %> aria-current="page"<% } %>><%= page.name %></a>
<% } %></nav>
<form method="post" action="/account/sign-out">
<input type="hidden" name="form_token" value="<%= it.account.formToken %>">
<button class="link">Sign out</button>
</form>
<% } %>
</header>
<main id="content" class="<%= it.isWide ? 'wide' : 'card' %>">
<%~ it.body %>
</main>
</body>
</html>
`;

/**
 * A labeled input. Parameters: `label`, `name`, and optionally `id`, by default the name, `type`, `value`, `hint`, `error`, `autocomplete`,
 * `inputmode`, `maxlength`, `isOptional`, and `isVerbatim`, which disables capitalization and spell checking.
 */
export const FIELD = `<% const id = it.id ?? it.name; %><div class="field">
<label for="<%= id %>"><%= it.label %><% if (it.isOptional) { %> <span class="soft">(optional)</span><% } %></label>
<% if (it.hint) { %><p class="hint" id="<%= id %>-hint"><%= it.hint %></p>
<% } %><input id="<%= id %>" name="<%= it.name %>" type="<%= it.type ?? 'text' %>"<% if (it.value) { %> value="<%= it.value %>"<% } %><% if (it.error) { %> aria-invalid="true"<% } %> maxlength="<%= it.maxlength ?? 320 %>"<% if (it.autocomplete) { %> autocomplete="<%= it.autocomplete %>"<% } %><% if (it.inputmode) { %> inputmode="<%= it.inputmode %>"<% } %><% if (it.isVerbatim) { %> autocapitalize="none" spellcheck="false"<% } %><% if (!it.isOptional) { %> required<% } %><% if (it.hint || it.error) { %> aria-describedby="<%= [it.hint && id + '-hint', it.error && id + '-error'].filter(Boolean).join(' ') %>"<% } %>>
<% if (it.error) { %><p class="error" id="<%= id %>-error"><%= it.error %></p>
<% } %></div>
`;
