import { Body, Controller, Get, HttpCode, Inject, Param, Post, Query, Res, UseGuards } from '@nestjs/common';
import type { Settings } from '@settle/config';
import { SANDBOX_TEST_USER, SCOPES } from '@settle/contracts';
import type { FastifyReply } from 'fastify';
import { getConfirmation } from '../pages/confirmations.js';
import { allowsPlainHttp, isPlainHttp } from '../authorize/http-redirects.js';
import { formatMinute } from '../pages/format-minute.js';
import { buildAccountHeader } from '../pages/navigation.js';
import { redirect, sendPage } from '../http/send-page.js';
import { SETTINGS } from '../injection/providers.js';
import { CsrfGuard } from '../sign-in/csrf.guard.js';
import { ReauthenticationGuard } from '../sign-in/reauthentication.guard.js';
import { deriveFormToken } from '../sign-in/session-cookie.js';
import type { SignedInUser } from '../sign-in/sessions.js';
import { CurrentUser, SessionGuard } from '../sign-in/session.guard.js';
import type { App } from '../tables/app.entity.js';
import { parseAppDetails, type AppDetailsRules } from './app-details.js';
import { AppButtonForm, AppForm } from './app.form.js';
import { renderApp, renderApps, type AppFields, type AppPage, type AppsPage } from './developers.pages.js';
import { DeveloperApps, type AppSettings } from './developer-apps.js';

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

/** Lets developers register and manage their apps. */
@Controller('developers')
@UseGuards(SessionGuard)
export class DevelopersController {
  constructor(
    private readonly apps: DeveloperApps,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Get()
  async showApps(
    @CurrentUser() user: SignedInUser,
    @Res() reply: FastifyReply,
    @Query('done') done: unknown,
  ): Promise<void> {
    await this.#sendListPage(reply, user, { confirmation: getConfirmation(done) });
  }

  @Post('apps')
  @UseGuards(CsrfGuard(AppForm))
  async register(@CurrentUser() user: SignedInUser, @Res() reply: FastifyReply, @Body() form: AppForm): Promise<void> {
    const { settings, faults } = this.#parseForm(form, null);
    if (settings.redirectUrls.length === 0) faults.redirect_url ??= 'This field is required.';
    if (Object.keys(faults).length > 0)
      return this.#sendListPage(reply, user, { fields: toAppFields(form), faults }, 400);
    const clientId = await this.apps.register(user.userId, settings);
    await redirect(reply, `/developers/apps/${clientId}?done=app-saved`);
  }

  @Get('apps/:id')
  async showApp(
    @CurrentUser() user: SignedInUser,
    @Res() reply: FastifyReply,
    @Param('id') id: string,
    @Query('done') done: unknown,
  ): Promise<void> {
    await this.#sendAppPage(reply, user, id, { confirmation: getConfirmation(done) });
  }

  @Post('apps/:id')
  @UseGuards(CsrfGuard(AppForm), ReauthenticationGuard())
  async change(
    @CurrentUser() user: SignedInUser,
    @Res() reply: FastifyReply,
    @Param('id') id: string,
    @Body() form: AppForm,
  ): Promise<void> {
    const { settings, faults } = this.#parseForm(form, await this.apps.load(user.userId, id));
    if (Object.keys(faults).length > 0)
      return this.#sendAppPage(reply, user, id, { fields: toAppFields(form), faults });
    await this.apps.change(user.userId, id, settings);
    await redirect(reply, `/developers/apps/${id}?done=app-saved`);
  }

  /** Responds with the page itself instead of a redirect, because the secret cannot be read again. */
  @Post('apps/:id/secret')
  @HttpCode(200)
  @UseGuards(CsrfGuard(AppButtonForm), ReauthenticationGuard())
  async rotateSecret(
    @CurrentUser() user: SignedInUser,
    @Res() reply: FastifyReply,
    @Param('id') id: string,
  ): Promise<void> {
    const secret = await this.apps.rotateSecret(user.userId, id);
    await this.#sendAppPage(reply, user, id, { secret });
  }

  @Post('apps/:id/secret/end-former')
  @UseGuards(CsrfGuard(AppButtonForm), ReauthenticationGuard())
  async endFormerSecret(
    @CurrentUser() user: SignedInUser,
    @Res() reply: FastifyReply,
    @Param('id') id: string,
  ): Promise<void> {
    await this.apps.endFormerSecret(user.userId, id);
    await redirect(reply, `/developers/apps/${id}?done=secret-ended`);
  }

  /** Responds with the page itself, as `rotateSecret` does. */
  @Post('apps/:id/token')
  @HttpCode(200)
  @UseGuards(CsrfGuard(AppButtonForm))
  async issueSandboxToken(
    @CurrentUser() user: SignedInUser,
    @Res() reply: FastifyReply,
    @Param('id') id: string,
  ): Promise<void> {
    await this.#sendAppPage(reply, user, id, { token: await this.apps.issueSandboxToken(user.userId, id) });
  }

  @Post('apps/:id/delete')
  @UseGuards(CsrfGuard(AppButtonForm), ReauthenticationGuard())
  async delete(@CurrentUser() user: SignedInUser, @Res() reply: FastifyReply, @Param('id') id: string): Promise<void> {
    await this.apps.delete(user.userId, id);
    await redirect(reply, '/developers?done=app-deleted');
  }

  /** Returns the day on which the plain http redirect URLs of the app expire, or null if none does. */
  #formatHttpExpiry({ redirectUrls, httpRedirectsUntil }: App): string | null {
    if (allowsPlainHttp(this.settings) || httpRedirectsUntil === null || !redirectUrls.some(isPlainHttp)) return null;
    return httpRedirectsUntil.toISOString().slice(0, 10);
  }

  #parseForm(form: AppForm, current: AppDetailsRules['current']) {
    const { details, faults } = parseAppDetails(form, { allowsPlainHttp: allowsPlainHttp(this.settings), current });
    const checkboxes = readCheckboxes(form);
    const settings: AppSettings = {
      ...details,
      buildsAddresses: checkboxes.builds_addresses,
      takesTokens: !checkboxes.codes_only,
      requiresPkce: checkboxes.requires_pkce,
      legacyAnswers: checkboxes.legacy_answers,
    };
    return { settings, faults };
  }

  async #sendListPage(reply: FastifyReply, user: SignedInUser, page: Partial<AppsPage>, status = 200): Promise<void> {
    const apps = await this.apps.list(user.userId);
    const html = renderApps({
      head: buildAccountHeader('/developers', deriveFormToken(user.sessionId)),
      confirmation: null,
      apps: apps.map((app) => ({
        clientId: app.clientId,
        name: app.name,
        hasRedirectUrl: app.redirectUrls.length > 0,
        isSuspended: app.suspendedAt !== null,
        httpExpiresOn: this.#formatHttpExpiry(app),
      })),
      registrationBlock: await this.apps.findRegistrationBlock(user.userId),
      fields: NEW_APP,
      faults: {},
      ...page,
    });
    await sendPage(reply, html, { status });
  }

  async #sendAppPage(reply: FastifyReply, user: SignedInUser, id: string, page: Partial<AppPage>): Promise<void> {
    const app = await this.apps.load(user.userId, id);
    const { clientId, name, description, siteUrl, redirectUrls } = app;
    const [first = '', ...more] = redirectUrls;
    const { publicUrl } = this.settings;
    const html = renderApp({
      head: buildAccountHeader('/developers', deriveFormToken(user.sessionId)),
      confirmation: null,
      clientId,
      name,
      hasSecret: app.secretSha256 !== null,
      secretCreatedOn: app.secretMadeAt && formatMinute(app.secretMadeAt),
      hasFormerSecret: app.formerSecretSha256 !== null,
      formerSecretCreatedOn: app.formerSecretMadeAt && formatMinute(app.formerSecretMadeAt),
      hasRedirectUrl: redirectUrls.length > 0,
      isSuspended: app.suspendedAt !== null,
      httpExpiresOn: this.#formatHttpExpiry(app),
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

function toAppFields(form: AppForm): AppFields {
  const { name, description, redirect_url, more_redirect_urls, site_url } = form;
  return { name, description, redirect_url, more_redirect_urls, site_url, ...readCheckboxes(form) };
}

/** A form sends no field for an unchecked checkbox. */
function readCheckboxes(form: AppForm) {
  return {
    builds_addresses: form.builds_addresses !== undefined,
    codes_only: form.codes_only !== undefined,
    requires_pkce: form.requires_pkce !== undefined,
    legacy_answers: form.legacy_answers !== undefined,
  };
}
