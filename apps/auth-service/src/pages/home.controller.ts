import { Controller, Get, Inject, Res } from '@nestjs/common';
import type { Settings } from '@settle/config';
import type { FastifyReply } from 'fastify';
import { SETTINGS } from '../injection/providers.js';
import { renderHome } from './pages.js';
import { sendPage } from '../http/send-page.js';

/** The start page. */
@Controller()
export class HomeController {
  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  @Get()
  async home(@Res() reply: FastifyReply): Promise<void> {
    const { publicUrl, devTools: hasDevTools } = this.settings;
    await sendPage(reply, renderHome({ publicUrl, hasDevTools }));
  }
}
