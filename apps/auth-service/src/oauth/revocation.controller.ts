import { Controller, Delete, HttpCode, Post, Req } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { SettleError } from '@settle/contracts';
import type { FastifyRequest } from 'fastify';
import { DataSource } from 'typeorm';
import { extractQuery, parseQuery } from '../http/query-parameters.js';
import { sha256 } from '../secrets/secrets.js';
import { Tokens } from '../tokens/tokens.js';
import { Authorizations, findAuthorization } from './authorizations.js';
import { ClientAuthenticator } from './client-authenticator.js';
import { readForm } from './form-body.js';
import { buildOauthPaths } from './oauth-paths.js';

const FIELDS = ['client_id', 'client_secret', 'token', 'token_type_hint'];
const BEARER = /^bearer +([^\s,]+)$/i;

/**
 * Revokes tokens. Either kind of token revokes its authorization with all of its tokens: an app that gives up one
 * should not keep the other (RFC 7009 2.1).
 */
@Controller(buildOauthPaths())
export class RevocationController {
  constructor(
    private readonly clients: ClientAuthenticator,
    private readonly dataSource: DataSource,
    private readonly authorizations: Authorizations,
    private readonly tokens: Tokens,
  ) {}

  /**
   * Token revocation (RFC 7009), of an access or refresh token of this app. Ignores `token_type_hint`; an unknown token
   * counts as revoked (2.2). Returns an object, because some clients cannot read an empty body.
   * Errors: `invalid_grant` for another app's token; `outcome_unknown` if a gateway learns of it too late.
   */
  @Post('revoke')
  @HttpCode(200)
  revoke(@Req() request: FastifyRequest): Promise<object> {
    return this.clients.handle(request, FIELDS, async ({ clientId }, form) => {
      const token = form.get('token');
      if (token === undefined)
        throw new SettleError('invalid_request', 'The token is missing. Send it in the field token.');
      const found =
        (await findAuthorization(this.dataSource, 'tokens', token)) ??
        (await findAuthorization(this.dataSource, 'refresh_tokens', token));
      if (!found) return {};
      if (found.appId !== clientId) {
        throw new SettleError('invalid_grant', 'The token belongs to another app. Only that app can revoke it.');
      }
      await this.authorizations.revoke(found);
      return {};
    });
  }

  /**
   * Revokes the presented access token, even while its user's account is frozen for reading. Requires no client
   * authentication: the token itself is the permission. Errors: the others of `Tokens.check`, and `outcome_unknown`.
   */
  @Delete('access_token')
  @RouteConfig({ acceptsJson: true })
  @HttpCode(204)
  async revokePresented(@Req() request: FastifyRequest): Promise<void> {
    const token = readPresentedToken(request);
    await this.tokens.check(sha256(token).toString('hex')).catch((error: unknown) => {
      if (!(error instanceof SettleError) || error.code !== 'account_frozen') throw error;
    });
    const found = await findAuthorization(this.dataSource, 'tokens', token);
    if (found) await this.authorizations.revoke(found);
  }
}

/** Returns the access token of a request. Errors: `missing_token`; `invalid_request` if it is sent more than once. */
function readPresentedToken(request: FastifyRequest): string {
  const inQuery = parseQuery(extractQuery(request.url)).get('access_token') ?? [];
  const [, bearer] = BEARER.exec(request.headers.authorization ?? '') ?? [];
  if (inQuery.length > 1) throw sentMoreThanOnce();
  const candidates: readonly unknown[] = [
    bearer,
    ...inQuery,
    readForm(request, []).get('access_token'),
    readJsonToken(request),
  ];
  // An empty one counts as not sent, and so does null.
  const [token = '', ...others] = candidates.filter((candidate) => (candidate ?? '') !== '');
  if (others.length > 0) throw sentMoreThanOnce();
  if (typeof token !== 'string') throw new SettleError('invalid_request', 'access_token must be text.');
  if (token !== '') return token;
  throw new SettleError('missing_token', 'Send an access token: as access_token, or as "Authorization: Bearer".');
}

/** Returns the token of a JSON object; undefined if the body is none. */
function readJsonToken({ body, formFields }: FastifyRequest): unknown {
  return formFields === undefined ? (body as { access_token?: unknown } | undefined)?.access_token : undefined;
}

function sentMoreThanOnce(): SettleError {
  return new SettleError('invalid_request', 'The access token was sent more than once. Send it in one place.');
}
