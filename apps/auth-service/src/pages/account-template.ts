import { getConfirmation } from './confirmations.js';
import { buildAccountHeader, type AccountPath } from './navigation.js';
import { pageTemplate } from './page-template.js';

/** The user whose account a page shows. */
export interface AccountOwner {
  readonly username: string;
  readonly formToken: string;
}

/**
 * Compiles the template of an account page below its heading, which is the title by default. In the template `it.user`
 * is the owner of the account. The query parameter `done` selects a confirmation.
 */
export function accountTemplate<Page extends object>(
  { path, title, heading = `<h1>${title}</h1>` }: { path: AccountPath; title: string; heading?: string },
  template: string,
): (user: AccountOwner, content: Page & { readonly done?: unknown }) => string {
  const render = pageTemplate(`<% layout('@layout', { title: '${title}', isWide: true, account: it.header }) %>
${heading}
<% if (it.confirmation) { %><p class="done" role="status"><%= it.confirmation %></p><% } %>
${template}`);
  return (user, { done, ...page }) =>
    render({ ...page, user, header: buildAccountHeader(path, user), confirmation: getConfirmation(done) });
}
