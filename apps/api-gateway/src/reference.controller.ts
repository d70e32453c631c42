import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { Controller, Get, Header, Inject, Param, Res, StreamableFile } from '@nestjs/common';
import { SettleError } from '@settle/contracts';
import type { FastifyReply } from 'fastify';
import { GATEWAY_SETTINGS, type GatewaySettings } from './gateway-settings.js';
import { openApiDocument } from './openapi/openapi-document.js';
import { VIEWER_START, referencePage, referencePolicy } from './openapi/reference-page.js';
import { ViewerFiles } from './openapi/viewer-files.js';

const FIVE_MINUTES = 'public, max-age=300';
const FOR_GOOD = 'public, max-age=31536000, immutable';
/** As a checkout and the image have them. */
const GUIDES = { interface: guideAt('interface.md'), sandbox: guideAt('sandbox.md') };
const JAVASCRIPT = 'text/javascript; charset=utf-8';

/** What the interface is, for programs and for people. Made when first asked for: most instances never are. */
@Controller()
export class ReferenceController {
  #document: string | undefined;
  #files: ViewerFiles | undefined;

  constructor(@Inject(GATEWAY_SETTINGS) private readonly settings: GatewaySettings) {}

  @Get('openapi.json')
  @Header('content-type', 'application/json; charset=utf-8')
  @Header('cache-control', FIVE_MINUTES)
  @Header('x-content-type-options', 'nosniff')
  document(): string {
    return (this.#document ??= JSON.stringify(openApiDocument(this.settings)));
  }

  @Get('docs')
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('cache-control', FIVE_MINUTES)
  @Header('x-content-type-options', 'nosniff')
  @Header('referrer-policy', 'no-referrer')
  @Header('cross-origin-opener-policy', 'same-origin')
  page(@Res({ passthrough: true }) reply: FastifyReply): string {
    void reply.header('content-security-policy', referencePolicy(this.settings.publicUrl));
    return referencePage(this.#viewer().version);
  }

  @Get('docs/start.js')
  @Header('content-type', JAVASCRIPT)
  @Header('cache-control', FIVE_MINUTES)
  @Header('x-content-type-options', 'nosniff')
  start(): string {
    return VIEWER_START;
  }

  /** Every rule in words. As plain text, which browsers show: they know no Markdown. */
  @Get('docs/interface.md')
  @Header('content-type', 'text/plain; charset=utf-8')
  @Header('cache-control', FIVE_MINUTES)
  @Header('x-content-type-options', 'nosniff')
  guide(): Promise<string> {
    return readFile(GUIDES.interface, 'utf8');
  }

  @Get('docs/sandbox.md')
  @Header('content-type', 'text/plain; charset=utf-8')
  @Header('cache-control', FIVE_MINUTES)
  @Header('x-content-type-options', 'nosniff')
  sandboxGuide(): Promise<string> {
    return readFile(GUIDES.sandbox, 'utf8');
  }

  @Get('docs/:version/:file')
  @Header('x-content-type-options', 'nosniff')
  async file(
    @Param('version') version: string,
    @Param('file') name: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    const found = this.#viewer().find(version, name);
    if (found === null) throw new SettleError('resource_not_found', 'There is no such file.');
    const { size: length } = await stat(found.file);
    void reply.header('cache-control', FOR_GOOD);
    return new StreamableFile(createReadStream(found.file), { type: found.contentType, length });
  }

  #viewer(): ViewerFiles {
    return (this.#files ??= new ViewerFiles());
  }
}

function guideAt(name: string): URL {
  return new URL(`../../../docs/${name}`, import.meta.url);
}
