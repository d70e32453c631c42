import { Controller, Get, Header, Inject, Param } from '@nestjs/common';
import { SettleError } from '@settle/contracts';
import { HOME_STYLE_SOURCE, homePage } from './answers/home-page.js';
import { initialsPicture } from './answers/initials-picture.js';
import { GATEWAY_SETTINGS, type GatewaySettings } from './gateway-settings.js';

const NOTHING_ACTIVE = `default-src 'none'; style-src ${HOME_STYLE_SOURCE}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
const ONE_DAY = 'public, max-age=86400';

/** What anybody may see: the door, and pictures of those who have none of their own. */
@Controller()
export class PagesController {
  constructor(@Inject(GATEWAY_SETTINGS) private readonly settings: GatewaySettings) {}

  @Get()
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('content-security-policy', NOTHING_ACTIVE)
  @Header('x-content-type-options', 'nosniff')
  home(): string {
    return homePage(this.settings.publicUrl);
  }

  @Get('pictures/:file')
  @Header('content-type', 'image/svg+xml; charset=utf-8')
  @Header('content-security-policy', NOTHING_ACTIVE)
  @Header('x-content-type-options', 'nosniff')
  @Header('cache-control', ONE_DAY)
  picture(@Param('file') file: string): string {
    const picture = initialsPicture(file);
    if (picture === null) throw new SettleError('resource_not_found', 'There is no such picture.');
    return picture;
  }
}
