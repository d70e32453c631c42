import { getConfirmation } from './confirmations.js';
import { buildAccountHeader, type AccountPath } from './navigation.js';
import { pageTemplate } from './page-template.js';

/** The user whose account a page shows. */
export interface AccountOwner {
  readonly username: string;
  readonly formToken: string;
}

interface AccountPageOptions {
  readonly path: AccountPath;
  readonly title: string;
  /** By default the title. */
  readonly heading?: string;
}

/** The content that a page adds to the frame. @property done the query parameter that selects a confirmation */
type Content<Page> = Page & { readonly done?: unknown };

/** Compiles the template of an account page below its heading. In the template `it.user` is the owner of the account. */
export function accountTemplate<Page extends object>(
  { path, title, heading = `<h1>${title}</h1>` }: AccountPageOptions,
  template: string,
): (user: AccountOwner, content: Content<Page>) => string {
  const render = pageTemplate(`<% layout('@layout', { title: '${title}', isWide: true, account: it.header }) %>
${heading}
<% if (it.confirmation) { %><p class="done" role="status"><%= it.confirmation %></p><% } %>
${template}`);
  return (user, { done, ...page }) =>
    render({ ...page, user, header: buildAccountHeader(path, user), confirmation: getConfirmation(done) });
}
