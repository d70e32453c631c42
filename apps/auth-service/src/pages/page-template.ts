import { Eta } from 'eta';
import { FIELD, LAYOUT } from './layout.js';

const eta = new Eta({ autoEscape: true, cache: true });
eta.loadTemplate('@layout', LAYOUT);
eta.loadTemplate('@field', FIELD);

/**
 * Compiles a template to a function that renders a page as HTML. The template begins with `layout('@layout', { title: … })`
 * and may `include('@field', …)`. Values in `<%=` tags are escaped.
 */
export function pageTemplate<Data extends object>(template: string): (data: Data) => string {
  const render = eta.compile(template);
  return (data) => eta.render(render, data);
}
