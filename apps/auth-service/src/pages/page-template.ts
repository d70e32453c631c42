import { Eta } from 'eta';
import { FIELD, LAYOUT } from './layout.js';

const eta = new Eta({ autoEscape: true, cache: true });
eta.loadTemplate('@layout', LAYOUT);
eta.loadTemplate('@field', FIELD);

/**
 * Makes HTML of the data that a page shows. The template begins with `layout('@layout', { title: … })` and may
 * `include('@field', …)`; everything that it prints with `<%=` is escaped.
 */
export function pageTemplate<Data extends object>(template: string): (data: Data) => string {
  const render = eta.compile(template);
  return (data) => eta.render(render, data);
}
