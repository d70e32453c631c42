import { Controller, Get, Inject } from '@nestjs/common';
import type { Settings } from '@settle/config';
import { page, type PageResponse } from '../http/page-response.js';
import { SETTINGS } from '../injection/providers.js';
import { pageTemplate } from './page-template.js';

/** The start page. */
@Controller()
export class HomeController {
  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  @Get()
  home(): PageResponse {
    const { publicUrl, devTools: hasDevTools } = this.settings;
    return page(renderHome({ publicUrl, hasDevTools }));
  }
}

export const renderHome = pageTemplate<{
  publicUrl: string;
  hasDevTools: boolean;
}>(`<% layout('@layout', { title: 'Pay your friends', isWide: true }) %>
<h1>A wallet for paying friends</h1>
<p class="lead">Keep a balance, pay your friends, request money. Open source, with one HTTP API.</p>
<div class="panels">
<section aria-labelledby="users">
<h2 id="users">For users</h2>
<p>Manage your profile, your addresses, and your password. An app that wants to act for you sends you here to sign in and see what it requests. Nothing happens until you allow it.</p>
<p class="choice"><a class="button quiet" href="/account">Sign in</a><a class="button" href="/account/sign-up">Sign up</a></p>
</section>
<section aria-labelledby="apps">
<h2 id="apps">For apps</h2>
<p>The API is at <code><%= it.publicUrl %>/v1</code> and requires an access token:</p>
<pre>curl <%= it.publicUrl %>/v1/me \\
  -H "Authorization: Bearer …"</pre>
<p>Read <a href="/docs">the reference</a> or download <a href="/openapi.json">the OpenAPI document</a>.</p>
<% if (it.hasDevTools) { %><p>Messages to users appear in <a href="/dev/mailbox">the mailbox</a>.</p><% } %>
</section>
</div>
`);
