import { checkbox, form, optional, password, text, textArea } from '../http/form.js';

export const AppForm = form({
  name: text(500),
  description: textArea(2_000),
  redirect_url: text(4_000),
  more_redirect_urls: textArea(12_000),
  site_url: text(4_000),
  builds_addresses: checkbox,
  codes_only: checkbox,
  requires_pkce: checkbox,
  legacy_answers: checkbox,
  current_password: optional(password),
});
