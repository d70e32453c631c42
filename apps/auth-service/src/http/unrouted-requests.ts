import { SettleError } from '@settle/contracts';
import { KnownPaths } from '@settle/lifecycle';
import type { FastifyInstance } from 'fastify';

/** For a browser that opens a path to which only forms are sent, without a page that has the form. */
const NO_PAGE = 'This address only receives a form. If an app sent you here, return to the app and start again there.';

/** The pages with the forms of paths that are not below them. */
const FORM_PAGES: Readonly<Record<string, string>> = {
  '/account/password': '/account/security',
  '/account/sign-out-everywhere': '/account/security',
};

/**
 * Responds to OPTIONS, and with 405 and `Allow` if the path supports other methods. A browser that opens a path to which
 * only forms are sent, such as a page with errors, is redirected to the page with the form. Must precede the routes.
 */
export function handleUnroutedRequests(server: FastifyInstance): void {
  const paths = new KnownPaths();
  server.addHook('onRoute', ({ url, method }) => paths.add(url, [method].flat()));
  server.addHook('onRequest', (request, reply, done) => {
    const [path = '', ...query] = request.url.split(/(?=\?)/);
    const allow = request.is404 ? paths.allow(path) : null;
    const isReload = request.method === 'GET' && request.headers.accept?.includes('text/html') === true;
    const formPage = allow !== null && isReload ? (FORM_PAGES[path] ?? findPageAbove(path, paths)) : null;
    if (allow === null) done();
    else if (formPage !== null)
      void reply
        .code(303)
        .header('location', formPage + query.join(''))
        .send();
    else if (request.method === 'OPTIONS') void reply.code(204).header('allow', allow).send();
    else done(new SettleError('method_not_allowed', isReload ? NO_PAGE : `This address takes ${allow}.`, { allow }));
  });
}

/** Returns the nearest path above this one that has a page, or null if only the start page is above it. */
function findPageAbove(path: string, paths: KnownPaths): string | null {
  const above = path.slice(0, path.lastIndexOf('/'));
  if (above === '') return null;
  return paths.allow(above)?.split(', ').includes('GET') ? above : findPageAbove(above, paths);
}
