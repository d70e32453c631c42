import { Body, Controller, Get, Inject, Param, Post, Query, UseGuards } from '@nestjs/common';
import type { Settings } from '@settle/config';
import { SettleError } from '@settle/contracts';
import { allowsPlainHttp, isPlainHttp } from '../authorize/http-redirects.js';
import { ReauthenticatedForm, form, optional, password, secret, type FormOf } from '../http/form.js';
import { page, redirect, type PageResponse } from '../http/page-response.js';
import { SETTINGS } from '../injection/providers.js';
import { getConfirmation } from '../pages/confirmations.js';
import { formatMinute } from '../pages/format-minute.js';
import { buildAccountHeader } from '../pages/navigation.js';
import { CsrfGuard } from '../sign-in/csrf.guard.js';
import { ReauthenticationGuard } from '../sign-in/reauthentication.guard.js';
import { CurrentUser, SessionGuard } from '../sign-in/session.guard.js';
import type { SignedInUser } from '../sign-in/sessions.js';
import type { App } from '../tables/app.entity.js';
import { AppForm, parseAppDetails, type AppDetailsRules } from './app-details.js';
import { DeveloperApps, computeSecretVersion, type AppSettings } from './developer-apps.js';
import {
  renderApp,
  renderApps,
  type AppFields,
  type AppPage,
  type AppsPage,
  type ListedApp,
} from './developers.pages.js';

const NEW_APP: AppFields = {
  ...{ name: '', description: '', redirect_url: '', more_redirect_urls: '', site_url: '' },
  ...{ builds_addresses: false, codes_only: false, requires_pkce: false, legacy_answers: false },
};

const SecretForm = form({
  /** The version of the secret that the page showed. Undefined in forms of an earlier version. */
  secret_version: optional(secret),
  current_password: optional(password),
});

/** Lets developers register and manage their apps. */
@Controller('developers')
@UseGuards(SessionGuard)
export class DevelopersController {
  constructor(
    private readonly apps: DeveloperApps,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Get()
  showApps(@CurrentUser() user: SignedInUser, @Query('done') done: unknown): Promise<PageResponse> {
    return this.#listPage(user, { confirmation: getConfirmation(done) });
  }

  @Post('apps')
  @UseGuards(CsrfGuard(AppForm))
  async register(@CurrentUser() user: SignedInUser, @Body() form: FormOf<typeof AppForm>): Promise<PageResponse> {
    const { settings, faults } = this.#parseForm(form, null);
    if (settings.redirectUrls.length === 0) faults.redirect_url ??= 'This field is required.';
    if (Object.keys(faults).length > 0) return this.#listPage(user, { fields: form, faults }, 400);
    const clientId = await this.apps.register(user.userId, settings);
    return redirect(`/developers/apps/${clientId}?done=app-saved`);
  }

  @Get('apps/:id')
  showApp(
    @CurrentUser() user: SignedInUser,
    @Param('id') id: string,
    @Query('done') done: unknown,
  ): Promise<PageResponse> {
    return this.#appPage(user, id, { confirmation: getConfirmation(done) });
  }

  @Post('apps/:id')
  @UseGuards(CsrfGuard(AppForm), ReauthenticationGuard())
  async change(
    @CurrentUser() user: SignedInUser,
    @Param('id') id: string,
    @Body() form: FormOf<typeof AppForm>,
  ): Promise<PageResponse> {
    const { settings, faults } = this.#parseForm(form, await this.apps.load(user.userId, id));
    if (Object.keys(faults).length > 0) return this.#appPage(user, id, { fields: form, faults }, 400);
    await this.apps.change(user.userId, id, settings);
    return redirect(`/developers/apps/${id}?done=app-saved`);
  }

  /** Responds with the page itself instead of a redirect, because the secret cannot be read again. */
  @Post('apps/:id/secret')
  @UseGuards(CsrfGuard(SecretForm), ReauthenticationGuard())
  async rotateSecret(
    @CurrentUser() user: SignedInUser,
    @Param('id') id: string,
    @Body() { secret_version: version }: FormOf<typeof SecretForm>,
  ): Promise<PageResponse> {
    const secret = await this.apps.rotateSecret(user.userId, id, version).catch((error: unknown) => {
      if (error instanceof SettleError && error.code === 'invalid_request') return error;
      throw error;
    });
    if (secret instanceof SettleError) return this.#appPage(user, id, { secretFault: secret.message }, 400);
    return this.#appPage(user, id, { secret });
  }

  @Post('apps/:id/secret/end-former')
  @UseGuards(CsrfGuard(ReauthenticatedForm), ReauthenticationGuard())
  async endFormerSecret(@CurrentUser() user: SignedInUser, @Param('id') id: string): Promise<PageResponse> {
    await this.apps.endFormerSecret(user.userId, id);
    return redirect(`/developers/apps/${id}?done=secret-ended`);
  }

  @Post('apps/:id/secret/end-newest')
  @UseGuards(CsrfGuard(ReauthenticatedForm), ReauthenticationGuard())
  async endNewestSecret(@CurrentUser() user: SignedInUser, @Param('id') id: string): Promise<PageResponse> {
    await this.apps.endNewestSecret(user.userId, id);
    return redirect(`/developers/apps/${id}?done=newest-secret-ended`);
  }

  /** Responds with the page itself, as `rotateSecret` does. */
  @Post('apps/:id/token')
  @UseGuards(CsrfGuard(ReauthenticatedForm))
  async issueSandboxToken(@CurrentUser() user: SignedInUser, @Param('id') id: string): Promise<PageResponse> {
    return this.#appPage(user, id, { token: await this.apps.issueSandboxToken(user.userId, id) });
  }

  @Post('apps/:id/delete')
  @UseGuards(CsrfGuard(ReauthenticatedForm), ReauthenticationGuard())
  async delete(@CurrentUser() user: SignedInUser, @Param('id') id: string): Promise<PageResponse> {
    await this.apps.delete(user.userId, id);
    return redirect('/developers?done=app-deleted');
  }

  #toListedApp(app: App): ListedApp {
    const { redirectUrls, httpRedirectsUntil: until } = app;
    const expires = !allowsPlainHttp(this.settings) && until !== null && redirectUrls.some(isPlainHttp);
    return { ...app, httpExpiresOn: expires ? until.toISOString().slice(0, 10) : null };
  }

  #parseForm(form: FormOf<typeof AppForm>, current: AppDetailsRules['current']) {
    const { details, faults } = parseAppDetails(form, { allowsPlainHttp: allowsPlainHttp(this.settings), current });
    const settings: AppSettings = {
      ...details,
      buildsAddresses: form.builds_addresses,
      takesTokens: !form.codes_only,
      requiresPkce: form.requires_pkce,
      legacyAnswers: form.legacy_answers,
    };
    return { settings, faults };
  }

  async #listPage(user: SignedInUser, content: Partial<AppsPage>, status = 200): Promise<PageResponse> {
    const html = renderApps({
      head: buildAccountHeader('/developers', user),
      apps: (await this.apps.list(user.userId)).map((app) => this.#toListedApp(app)),
      registrationBlock: await this.apps.findRegistrationBlock(user.userId),
      ...{ confirmation: null, fields: NEW_APP, faults: {} },
      ...content,
    });
    return page(html, { status });
  }

  async #appPage(user: SignedInUser, id: string, content: Partial<AppPage>, status = 200): Promise<PageResponse> {
    const app = await this.apps.load(user.userId, id);
    const { name, description, siteUrl, redirectUrls } = app;
    const [first = '', ...more] = redirectUrls;
    const html = renderApp({
      head: buildAccountHeader('/developers', user),
      app: this.#toListedApp(app),
      publicUrl: this.settings.publicUrl,
      secretVersion: computeSecretVersion(app),
      secretCreatedOn: app.secretMadeAt && formatMinute(app.secretMadeAt),
      formerSecretCreatedOn: app.formerSecretMadeAt && formatMinute(app.formerSecretMadeAt),
      fields: {
        ...{ name, description, redirect_url: first, more_redirect_urls: more.join('\n'), site_url: siteUrl },
        ...{ builds_addresses: app.buildsAddresses, codes_only: !app.takesTokens },
        ...{ requires_pkce: app.requiresPkce, legacy_answers: app.legacyAnswers },
      },
      ...{ confirmation: null, secret: null, secretFault: null, token: null, faults: {} },
      ...content,
    });
    return page(html, { status });
  }
}
