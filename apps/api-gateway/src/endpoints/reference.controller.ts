import { Controller, Get, Header, Inject, Param, Req, Res } from '@nestjs/common';
import { SettleError } from '@settle/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { GATEWAY_SETTINGS, type GatewaySettings } from '../settings/gateway-settings.js';
import { GUIDES, readGuide } from '../openapi/guides.js';
import { KeptContents } from '../openapi/kept-contents.js';
import { openApiDocument } from '../openapi/openapi-document.js';
import { VIEWER_START, referencePage, referencePolicy } from '../openapi/reference-page.js';
import { ViewerFiles } from '../openapi/viewer-files.js';

const FIVE_MINUTES = 'public, max-age=300';
const FOR_GOOD = 'public, max-age=31536000, immutable';
const GUIDE_ROUTES = GUIDES.map((name) => `docs/${name}`);
const JAVASCRIPT = 'text/javascript; charset=utf-8';

/**
 * The OpenAPI document and the interactive reference. Built on first use, because most instances never serve them. All
 * requests share one buffer and take no slots, so that unread responses block nothing and cost no memory.
 */
@Controller()
export class ReferenceController {
  #document: Buffer | undefined;
  readonly #guides = new KeptContents();
  #files: ViewerFiles | undefined;

  constructor(@Inject(GATEWAY_SETTINGS) private readonly settings: GatewaySettings) {}

  @Get('openapi.json')
  @Header('content-type', 'application/json; charset=utf-8')
  @Header('cache-control', FIVE_MINUTES)
  document(): Buffer {
    return (this.#document ??= Buffer.from(JSON.stringify(openApiDocument(this.settings))));
  }

  @Get('docs')
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('cache-control', FIVE_MINUTES)
  @Header('referrer-policy', 'no-referrer')
  @Header('cross-origin-opener-policy', 'same-origin')
  page(@Res({ passthrough: true }) reply: FastifyReply): string {
    void reply.header('content-security-policy', referencePolicy(this.settings.publicUrl));
    return referencePage(this.#viewer().version);
  }

  @Get('docs/start.js')
  @Header('content-type', JAVASCRIPT)
  @Header('cache-control', FIVE_MINUTES)
  start(): string {
    return VIEWER_START;
  }

  /** Every rule in words. As plain text, which browsers show: they know no Markdown. */
  @Get(GUIDE_ROUTES)
  @Header('content-type', 'text/plain; charset=utf-8')
  @Header('cache-control', FIVE_MINUTES)
  guide(@Req() { routeOptions: { url = '' } }: FastifyRequest): Promise<Buffer> {
    return this.#guides.of(url, async () => Buffer.from(await readGuide(url)));
  }

  @Get('docs/:version/:file')
  file(
    @Param('version') version: string,
    @Param('file') name: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer> {
    const found = this.#viewer().find(version, name);
    if (found === null) throw new SettleError('resource_not_found', 'There is no such file.');
    void reply.headers({ 'cache-control': FOR_GOOD, 'content-type': found.contentType });
    return found.content;
  }

  #viewer(): ViewerFiles {
    return (this.#files ??= new ViewerFiles());
  }
}
