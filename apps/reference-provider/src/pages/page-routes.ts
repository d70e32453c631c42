import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { BookObject } from '../books/book-object.js';
import type { Books } from '../books/books.js';
import { answerAction, awaitsUser } from '../books/charges.js';
import { addCard } from '../books/sources.js';
import { TEST_CARDS, findCard } from '../cards/cards.js';
import { STYLESHEET } from './page-template.js';
import { renderActionPage, renderCardPage, renderMessagePage } from './pages.js';

interface PageOptions {
  readonly books: Books;
  readonly now: () => number;
}

const FORM_TYPE = 'application/x-www-form-urlencoded';
const NO_LONGER = 'This page has been used, or its time is over.';
const UNKNOWN = 'There is no such page.';
const HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store, private',
};

/**
 * Adds the pages for users: for adding a card, and for confirming a charge. No scripts; the address of a page has an id that
 * cannot be guessed, and it can be used once.
 */
export function addPageRoutes(server: FastifyInstance, options: PageOptions): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(FORM_TYPE, { parseAs: 'string' }, (_request, body, done) =>
    done(null, Object.fromEntries(new URLSearchParams(body.toString()))),
  );
  server.addHook('onRequest', async (_request, reply) => void reply.headers(HEADERS));
  server.get('/assets/provider.css', (_request, reply) => reply.type('text/css; charset=utf-8').send(STYLESHEET));
  addCardPage(server, options);
  addActionPage(server, options);
}

function addCardPage(server: FastifyInstance, { books, now }: PageOptions): void {
  const sendForm = (reply: FastifyReply, { source }: BookObject, error: string | null) => {
    const { ownerName = '', returnUrl = '' } = source ?? {};
    const page = renderCardPage({ ownerName, cancelUrl: returnUrl, cards: TEST_CARDS, error });
    return sendPage(reply, error === null ? 200 : 400, page, returnUrl);
  };
  const sendNoLonger = (reply: FastifyReply, { source }: BookObject) =>
    sendMessage(reply, 410, NO_LONGER, source?.returnUrl);

  server.get('/cards/:id', async (request, reply) => {
    const source = await books.findById('source', idOf(request));
    if (source === null) return sendMessage(reply, 404, UNKNOWN);
    return awaitsUser(source, new Date(now())) ? sendForm(reply, source, null) : sendNoLonger(reply, source);
  });

  server.post('/cards/:id', async (request, reply) => {
    const source = await books.findById('source', idOf(request));
    if (source === null) return sendMessage(reply, 404, UNKNOWN);
    const card = findCard(fieldOf(request, 'card_number'));
    if (card === null)
      return sendForm(reply, source, 'This is not one of the test cards. Enter a number of the table.');
    const added = await books.write((writer) => addCard(writer, source.key, card));
    if (added === null || added.source === null) return sendNoLonger(reply, source);
    return reply.redirect(withState(added.source.returnUrl, added.state), 303);
  });
}

function addActionPage(server: FastifyInstance, { books, now }: PageOptions): void {
  server.get('/actions/:id', async (request, reply) => {
    const charge = await books.findById('charge', idOf(request));
    if (charge === null) return sendMessage(reply, 404, UNKNOWN);
    if (!awaitsUser(charge, new Date(now()))) return sendMessage(reply, 410, NO_LONGER);
    return sendPage(reply, 200, renderActionPage({ amount: formatDollars(charge.amountCents ?? 0) }));
  });

  server.post('/actions/:id', async (request, reply) => {
    const charge = await books.findById('charge', idOf(request));
    if (charge === null) return sendMessage(reply, 404, UNKNOWN);
    const isConfirmed = fieldOf(request, 'answer') === 'confirm';
    const answered = await books.write((writer) => answerAction(writer, charge.key, isConfirmed));
    if (answered === null) return sendMessage(reply, 410, NO_LONGER);
    const message = isConfirmed ? 'The payment is confirmed.' : 'The payment is refused.';
    return sendMessage(reply, 200, `${message} You can close this page.`);
  });
}

const idOf = ({ params }: FastifyRequest): string => {
  const { id } = params as { readonly id: string };
  // PostgreSQL refuses NUL in texts.
  return /^[a-z_0-9]{1,100}$/.test(id) ? id : '';
};

function fieldOf({ body }: FastifyRequest, name: string): string {
  return (body as Readonly<Record<string, string>> | undefined)?.[name] ?? '';
}

/** Returns the address of Settle to which the user goes back, with the state for display: Settle reads the source itself. */
function withState(returnUrl: string, state: string): string {
  const url = new URL(returnUrl);
  url.searchParams.set('source_state', state);
  return url.href;
}

function sendMessage(reply: FastifyReply, status: number, message: string, backUrl?: string): FastifyReply {
  return sendPage(reply, status, renderMessagePage({ message, backUrl: backUrl ?? null }));
}

/** @param formRedirectsTo where the form of the page leads in the end: browsers apply `form-action` to redirects, too */
function sendPage(reply: FastifyReply, status: number, html: string, formRedirectsTo?: string): FastifyReply {
  const target = formRedirectsTo === undefined ? '' : ` ${new URL(formRedirectsTo).origin}`;
  const policy = `default-src 'none'; style-src 'self'; form-action 'self'${target}; base-uri 'none'; frame-ancestors 'none'`;
  return reply.code(status).header('content-security-policy', policy).type('text/html; charset=utf-8').send(html);
}

/** Formats cents in integers. */
function formatDollars(cents: number): string {
  return `$${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
}
