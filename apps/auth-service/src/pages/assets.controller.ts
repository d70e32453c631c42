import { Controller, Get, Header } from '@nestjs/common';
import { LOGO, STYLESHEET } from './stylesheet.js';

const CACHE_FOREVER = 'public, max-age=31536000, immutable';

@Controller('v1/oauth/assets')
export class AssetsController {
  @Get('settle.css')
  @Header('content-type', 'text/css; charset=utf-8')
  @Header('cache-control', CACHE_FOREVER)
  stylesheet(): string {
    return STYLESHEET;
  }

  @Get('settle.svg')
  @Header('content-type', 'image/svg+xml')
  @Header('cache-control', CACHE_FOREVER)
  logo(): string {
    return LOGO;
  }
}
