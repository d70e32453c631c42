import { Controller, Get, Inject } from '@nestjs/common';
import type { Settings } from '@settle/config';
import { SCOPES } from '@settle/contracts';
import { SETTINGS } from '../injection/providers.js';

const CLIENT_AUTHENTICATION = ['client_secret_basic', 'client_secret_post', 'none'];

/** Serves the authorization server metadata (RFC 8414). */
@Controller('.well-known/oauth-authorization-server')
export class MetadataController {
  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  @Get()
  metadata(): object {
    const { publicUrl } = this.settings;
    return {
      issuer: publicUrl,
      authorization_endpoint: `${publicUrl}/v1/oauth/authorize`,
      token_endpoint: `${publicUrl}/v1/oauth/access_token`,
      revocation_endpoint: `${publicUrl}/v1/oauth/revoke`,
      service_documentation: `${publicUrl}/docs`,
      scopes_supported: SCOPES,
      response_types_supported: ['code', 'token'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'implicit', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION,
      revocation_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION,
      authorization_response_iss_parameter_supported: true,
    };
  }
}
