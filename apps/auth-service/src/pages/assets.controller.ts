import { Controller, Get, Header } from '@nestjs/common';
import { LOGO, STYLESHEET } from './stylesheet.js';

const KEEP_FOR_GOOD = 'public, max-age=31536000, immutable';

@Controller('v1/oauth/assets')
export class AssetsController {
  @Get('settle.css')
  @Header('content-type', 'text/css; charset=utf-8')
  @Header('cache-control', KEEP_FOR_GOOD)
  stylesheet(): string {
    return STYLESHEET;
  }

  @Get('settle.svg')
  @Header('content-type', 'image/svg+xml')
  @Header('cache-control', KEEP_FOR_GOOD)
  logo(): string {
    return LOGO;
  }
}
