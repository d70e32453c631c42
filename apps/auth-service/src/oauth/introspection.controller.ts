import { Controller, HttpCode, Inject, Post, Req } from '@nestjs/common';
import { newestSecret, type Settings } from '@settle/config';
import { SettleError } from '@settle/contracts';
import { SecurityLog } from '@settle/observability';
import { readOrThrowUnavailable } from '@settle/postgres';
import type { FastifyRequest } from 'fastify';
import { SETTINGS } from '../injection/providers.js';
import { isSameSecret, sha256 } from '../secrets/secrets.js';
import { Tokens } from '../tokens/tokens.js';
import { readForm } from './form-body.js';

const BEARER = /^bearer +(\S+)$/i;
/** The response of RFC 7662 2.2 for any token that is not valid, whatever the reason. */
const INACTIVE = { active: false };

/** Token introspection (RFC 7662) for internal services: the gateway does not route to it, and it requires a secret. */
@Controller('introspect')
export class IntrospectionController {
  constructor(
    private readonly tokens: Tokens,
    private readonly security: SecurityLog,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Post()
  @HttpCode(200)
  async introspect(@Req() request: FastifyRequest): Promise<object> {
    this.#authenticate(request.headers.authorization);
    const token = readForm(request, ['token']).get('token');
    if (token === undefined)
      throw new SettleError('invalid_request', 'The token is missing. Send it in the field token.');
    const grant = await readOrThrowUnavailable(this.tokens.check(sha256(token).toString('hex'))).catch(
      toNullIfInactive,
    );
    if (grant === null) return INACTIVE;
    return {
      active: true,
      scope: grant.scopes.join(' '),
      client_id: grant.appId,
      sub: grant.userId,
      token_type: 'bearer',
      exp: Math.floor(grant.expiresAtMs / 1_000),
      iss: this.settings.publicUrl,
      // An extension to RFC 7662: the only environment in which the token works.
      ...(grant.environment && { environment: grant.environment }),
    };
  }

  /** Without INTROSPECTION_SECRET in the settings the endpoint does not exist. */
  #authenticate(authorization: string | undefined): void {
    const { introspectionSecret } = this.settings;
    if (introspectionSecret === null) {
      throw new SettleError('resource_not_found', 'There is nothing at this address.');
    }
    const [, sent = ''] = BEARER.exec(authorization ?? '') ?? [];
    if (isSameSecret(sent, newestSecret(introspectionSecret))) return;
    this.security.write('introspection_refused');
    throw new SettleError('invalid_client', 'Send INTROSPECTION_SECRET as "Authorization: Bearer".');
  }
}

function toNullIfInactive(error: unknown): null {
  if (error instanceof SettleError && (error.status === 401 || error.code === 'account_frozen')) return null;
  throw error;
}
