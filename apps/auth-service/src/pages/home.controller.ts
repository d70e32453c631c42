import { Controller, Get, Inject } from '@nestjs/common';
import type { Settings } from '@settle/config';
import { page, type PageResponse } from '../http/page-response.js';
import { SETTINGS } from '../injection/providers.js';
import { renderHome } from './home.page.js';

/** The start page. */
@Controller()
export class HomeController {
  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  @Get()
  home(): PageResponse {
    const { publicUrl, devTools: hasDevTools } = this.settings;
    return page(renderHome({ publicUrl, hasDevTools }));
  }
}
