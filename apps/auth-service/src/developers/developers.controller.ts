import { Body, Controller, Get, HttpCode, Inject, Param, Post, Query, Res, UseGuards } from '@nestjs/common';
import type { Settings } from '@settle/config';
import { SANDBOX_TEST_USER, SCOPES } from '@settle/contracts';
import type { FastifyReply } from 'fastify';
import { doneWords } from '../account/done.js';
import { allowsPlainHttp, isPlainHttp } from '../authorize/http-redirects.js';
import { minuteOf } from '../pages/minute-of.js';
import { accountHead } from '../pages/navigation.js';
import { leadTo, sendPage } from '../pages/send-page.js';
import { SETTINGS } from '../providers.js';
import { CsrfGuard } from '../sign-in/csrf.guard.js';
import { ReauthenticationGuard } from '../sign-in/reauthentication.guard.js';
import { deriveFormToken } from '../sign-in/session-cookie.js';
import type { SignedInUser } from '../sign-in/sessions.js';
import { CurrentUser, SessionGuard } from '../sign-in/session.guard.js';
import type { App } from '../tables/app.entity.js';
import { readAppDetails, type AppRules } from './app-details.js';
import { AppButtonForm, AppForm } from './app.form.js';
import { renderApp, renderApps, type AppFields, type AppPage, type AppsPage } from './developers.pages.js';
import { OwnApps, type AppSettings } from './own-apps.js';

const NEW_APP: AppFields = {
  name: '',
  description: '',
  redirect_url: '',
  more_redirect_urls: '',
  site_url: '',
  builds_addresses: false,
  codes_only: false,
  requires_pkce: false,
  legacy_answers: false,
};

/** The pages on which people register apps. */
@Controller('developers')
@UseGuards(SessionGuard)
export class DevelopersController {
  constructor(
    private readonly apps: OwnApps,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Get()
  async list(@CurrentUser() me: SignedInUser, @Res() reply: FastifyReply, @Query('done') done: unknown): Promise<void> {
    await this.#showList(reply, me, { done: doneWords(done) });
  }

  @Post('apps')
  @UseGuards(CsrfGuard(AppForm))
  async register(@CurrentUser() me: SignedInUser, @Res() reply: FastifyReply, @Body() form: AppForm): Promise<void> {
    const { settings, faults } = this.#read(form, null);
    if (settings.redirectUrls.length === 0) faults.redirect_url ??= 'It is needed.';
    if (Object.keys(faults).length > 0) return this.#showList(reply, me, { fields: shown(form), faults }, 400);
    const clientId = await this.apps.register(me.userId, settings);
    await leadTo(reply, `/developers/apps/${clientId}?done=app-saved`);
  }

  @Get('apps/:id')
  async one(
    @CurrentUser() me: SignedInUser,
    @Res() reply: FastifyReply,
    @Param('id') id: string,
    @Query('done') done: unknown,
  ): Promise<void> {
    await this.#showOne(reply, me, id, { done: doneWords(done) });
  }

  @Post('apps/:id')
  @UseGuards(CsrfGuard(AppForm), ReauthenticationGuard())
  async change(
    @CurrentUser() me: SignedInUser,
    @Res() reply: FastifyReply,
    @Param('id') id: string,
    @Body() form: AppForm,
  ): Promise<void> {
    const { settings, faults } = this.#read(form, await this.apps.one(me.userId, id));
    if (Object.keys(faults).length > 0) return this.#showOne(reply, me, id, { fields: shown(form), faults });
    await this.apps.change(me.userId, id, settings);
    await leadTo(reply, `/developers/apps/${id}?done=app-saved`);
  }

  /** Answered with the page itself: the secret stands nowhere to be shown later. */
  @Post('apps/:id/secret')
  @HttpCode(200)
  @UseGuards(CsrfGuard(AppButtonForm), ReauthenticationGuard())
  async secret(@CurrentUser() me: SignedInUser, @Res() reply: FastifyReply, @Param('id') id: string): Promise<void> {
    const secret = await this.apps.newSecret(me.userId, id);
    await this.#showOne(reply, me, id, { secret });
  }

  @Post('apps/:id/secret/end-former')
  @UseGuards(CsrfGuard(AppButtonForm), ReauthenticationGuard())
  async endFormerSecret(
    @CurrentUser() me: SignedInUser,
    @Res() reply: FastifyReply,
    @Param('id') id: string,
  ): Promise<void> {
    await this.apps.endFormerSecret(me.userId, id);
    await leadTo(reply, `/developers/apps/${id}?done=secret-ended`);
  }

  /** As `secret`. */
  @Post('apps/:id/token')
  @HttpCode(200)
  @UseGuards(CsrfGuard(AppButtonForm))
  async token(@CurrentUser() me: SignedInUser, @Res() reply: FastifyReply, @Param('id') id: string): Promise<void> {
    await this.#showOne(reply, me, id, { token: await this.apps.trialToken(me.userId, id) });
  }

  @Post('apps/:id/delete')
  @UseGuards(CsrfGuard(AppButtonForm), ReauthenticationGuard())
  async delete(@CurrentUser() me: SignedInUser, @Res() reply: FastifyReply, @Param('id') id: string): Promise<void> {
    await this.apps.delete(me.userId, id);
    await leadTo(reply, '/developers?done=app-deleted');
  }

  /** The day on which its addresses of plain http end; null when it has none, or nothing ends. */
  #httpEndsOn({ redirectUrls, httpRedirectsUntil }: App): string | null {
    if (allowsPlainHttp(this.settings) || httpRedirectsUntil === null || !redirectUrls.some(isPlainHttp)) return null;
    return httpRedirectsUntil.toISOString().slice(0, 10);
  }

  #read(form: AppForm, onFile: AppRules['onFile']) {
    const { details, faults } = readAppDetails(form, { allowsPlainHttp: allowsPlainHttp(this.settings), onFile });
    const boxes = boxesOf(form);
    const settings: AppSettings = {
      ...details,
      buildsAddresses: boxes.builds_addresses,
      takesTokens: !boxes.codes_only,
      requiresPkce: boxes.requires_pkce,
      legacyAnswers: boxes.legacy_answers,
    };
    return { settings, faults };
  }

  async #showList(reply: FastifyReply, me: SignedInUser, page: Partial<AppsPage>, status = 200): Promise<void> {
    const apps = await this.apps.of(me.userId);
    const html = renderApps({
      head: accountHead('/developers', deriveFormToken(me.sessionId)),
      done: null,
      apps: apps.map((app) => ({
        clientId: app.clientId,
        name: app.name,
        isOpen: app.redirectUrls.length > 0,
        isSuspended: app.suspendedAt !== null,
        httpEndsOn: this.#httpEndsOn(app),
      })),
      bar: await this.apps.bar(me.userId),
      fields: NEW_APP,
      faults: {},
      ...page,
    });
    await sendPage(reply, html, { status });
  }

  async #showOne(reply: FastifyReply, me: SignedInUser, id: string, page: Partial<AppPage>): Promise<void> {
    const app = await this.apps.one(me.userId, id);
    const { clientId, name, description, siteUrl, redirectUrls } = app;
    const [first = '', ...more] = redirectUrls;
    const { publicUrl } = this.settings;
    const html = renderApp({
      head: accountHead('/developers', deriveFormToken(me.sessionId)),
      done: null,
      clientId,
      name,
      hasSecret: app.secretSha256 !== null,
      secretMadeOn: app.secretMadeAt && minuteOf(app.secretMadeAt),
      hasFormerSecret: app.formerSecretSha256 !== null,
      formerSecretMadeOn: app.formerSecretMadeAt && minuteOf(app.formerSecretMadeAt),
      isOpen: redirectUrls.length > 0,
      isSuspended: app.suspendedAt !== null,
      httpEndsOn: this.#httpEndsOn(app),
      authorizeUrl: `${publicUrl}/v1/oauth/authorize?client_id=${clientId}&scope=${SCOPES.slice(0, 2).join('%20')}`,
      publicUrl,
      testUserId: SANDBOX_TEST_USER.id,
      secret: null,
      token: null,
      fields: {
        ...{ name, description, redirect_url: first, more_redirect_urls: more.join('\n'), site_url: siteUrl },
        ...{ builds_addresses: app.buildsAddresses, codes_only: !app.takesTokens },
        requires_pkce: app.requiresPkce,
        legacy_answers: app.legacyAnswers,
      },
      faults: {},
      ...page,
    });
    await sendPage(reply, html, { status: page.faults === undefined ? 200 : 400 });
  }
}

function shown(form: AppForm): AppFields {
  const { name, description, redirect_url, more_redirect_urls, site_url } = form;
  return { name, description, redirect_url, more_redirect_urls, site_url, ...boxesOf(form) };
}

/** A box without a tick sends nothing. */
function boxesOf(form: AppForm) {
  return {
    builds_addresses: form.builds_addresses !== undefined,
    codes_only: form.codes_only !== undefined,
    requires_pkce: form.requires_pkce !== undefined,
    legacy_answers: form.legacy_answers !== undefined,
  };
}
