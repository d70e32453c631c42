import { Controller, Get, Header, Param } from '@nestjs/common';
import { SettleError } from '@settle/contracts';
import { initialsPicture } from '../responses/initials-picture.js';

const NOTHING_ACTIVE = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const ONE_DAY = 'public, max-age=86400';

/** Pictures of those who have none of their own. */
@Controller()
export class PicturesController {
  @Get('pictures/:file')
  @Header('content-type', 'image/svg+xml; charset=utf-8')
  @Header('content-security-policy', NOTHING_ACTIVE)
  @Header('cache-control', ONE_DAY)
  picture(@Param('file') file: string): string {
    const picture = initialsPicture(file);
    if (picture === null) throw new SettleError('resource_not_found', 'There is no such picture.');
    return picture;
  }
}
