import { pageTemplate } from '../pages/page-template.js';

export interface ProblemPage {
  readonly title: string;
  readonly message: string;
  readonly code: string;
}

export const renderProblem = pageTemplate<ProblemPage>(`<% layout('@layout', { title: it.title }) %>
<h1><%= it.title %></h1>
<p><%= it.message %></p>
<p><a href="/">Go to the start page</a></p>
<p class="soft">Code: <code><%= it.code %></code></p>
`);
