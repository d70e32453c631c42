import { Body, Controller, Get, Inject, Param, Post, Query, Req, Res, UseGuards } from '@nestjs/common';
import type { Settings } from '@settle/config';
import {
  SettleError,
  changeAccount,
  getAccount,
  isPlainText,
  parseEmail,
  parseUsPhone,
  type Account,
} from '@settle/contracts';
import { MessageClient } from '@settle/messaging';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { buildAccountHeader } from '../pages/navigation.js';
import { redirect, sendPage } from '../http/send-page.js';
import { SETTINGS } from '../injection/providers.js';
import { CsrfGuard } from '../sign-in/csrf.guard.js';
import { deriveFormToken } from '../sign-in/session-cookie.js';
import type { SignedInUser } from '../sign-in/sessions.js';
import { SignIn } from '../sign-in/sign-in.js';
import { CurrentUser, SessionGuard } from '../sign-in/session.guard.js';
import { findNameFaults } from '../sign-up/sign-up-rules.js';
import { AddressForm, ProfileForm, parseAddressKind } from './account.forms.js';
import { AddressVerification } from '../addresses/address-verification.js';
import { requestForUser } from '../user-requests/user-requests.js';
import { getConfirmation } from '../pages/confirmations.js';
import { renderProfile, type ProfilePage, type ProfileInput } from './profile.page.js';

const MAX_ABOUT_LENGTH = 500;

const ADDRESS_FAULTS = {
  email: 'This is not a valid e-mail address. Use the form name@example.com.',
  phone: 'This is not a valid US phone number. Use the form (415) 555-0101.',
};

/** Shows and changes the signed-in user's profile and addresses. */
@Controller('account')
@UseGuards(SessionGuard)
export class ProfileController {
  constructor(
    private readonly client: MessageClient,
    private readonly verification: AddressVerification,
    private readonly signIn: SignIn,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Get()
  async page(
    @CurrentUser() user: SignedInUser,
    @Res() reply: FastifyReply,
    @Query('done') done: unknown,
  ): Promise<void> {
    await this.#sendPage(reply, user, { confirmation: getConfirmation(done) });
  }

  @Post()
  @UseGuards(CsrfGuard(ProfileForm))
  async save(@CurrentUser() user: SignedInUser, @Res() reply: FastifyReply, @Body() form: ProfileForm): Promise<void> {
    const about = form.about.replaceAll('\r\n', '\n').trim();
    const faults: Partial<Record<keyof ProfileInput, string>> = findNameFaults(form);
    if ([...about].length > MAX_ABOUT_LENGTH) faults.about = `Use at most ${MAX_ABOUT_LENGTH} characters.`;
    else if (!isPlainText(about))
      faults.about = 'Remove control characters and characters that reverse the text direction.';
    if (Object.keys(faults).length > 0) return this.#sendPage(reply, user, { typed: form, faults }, 400);
    const [firstName, lastName] = [form.first_name.trim(), form.last_name.trim()];
    const change = { userId: user.userId, firstName, lastName, about, defaultAudience: form.default_audience };
    await requestForUser(this.client, changeAccount, change);
    await redirect(reply, '/account?done=saved');
  }

  @Post('addresses/:kind')
  @UseGuards(CsrfGuard(AddressForm))
  async addAddress(
    @CurrentUser() user: SignedInUser,
    @Req() request: FastifyRequest & { readonly body: AddressForm },
    @Res() reply: FastifyReply,
    @Param('kind') kind: string,
  ): Promise<void> {
    const addressKind = parseAddressKind(kind);
    const { address: typedAddress, current_password: password } = request.body;
    const typedAddresses = { [addressKind]: typedAddress };
    const address = addressKind === 'email' ? parseEmail(typedAddress) : parseUsPhone(typedAddress);
    if (address === null) {
      return this.#sendPage(
        reply,
        user,
        { typedAddresses, faults: { [addressKind]: ADDRESS_FAULTS[addressKind] } },
        400,
      );
    }
    if ((await this.signIn.reauthenticate(user, password, request)) === null) {
      return this.#sendPage(reply, user, { typedAddresses, isWrongPassword: true }, 403);
    }
    const { sessionId, userId } = user;
    await this.verification.sendCode({ kind: addressKind, address, sessionId, userId, callerIp: request.ip });
    await redirect(reply, `/account/addresses/${addressKind}/code`);
  }

  @Post('addresses/:kind/remove')
  @UseGuards(CsrfGuard(AddressForm))
  async removeAddress(
    @CurrentUser() user: SignedInUser,
    @Req() request: FastifyRequest & { readonly body: AddressForm },
    @Res() reply: FastifyReply,
    @Param('kind') kind: string,
  ): Promise<void> {
    const { address, current_password: password } = request.body;
    if ((await this.signIn.reauthenticate(user, password, request)) === null) {
      return this.#sendPage(reply, user, { isWrongPassword: true }, 403);
    }
    await this.verification.remove(user.userId, parseAddressKind(kind), address);
    await redirect(reply, '/account?done=removed');
  }

  async #sendPage(reply: FastifyReply, user: SignedInUser, page: Partial<ProfilePage>, status = 200): Promise<void> {
    const account = await this.#loadAccount(user.userId);
    const { publicUrl, devTools: hasDevTools } = this.settings;
    const { firstName, lastName, about, profilePictureUrl } = account.card;
    const html = renderProfile({
      head: buildAccountHeader('/account', deriveFormToken(user.sessionId)),
      account,
      picturePath: profilePictureUrl.replace(publicUrl, ''),
      typed: { first_name: firstName, last_name: lastName, about, default_audience: account.defaultAudience },
      faults: {},
      typedAddresses: {},
      isWrongPassword: false,
      confirmation: null,
      hasDevTools,
      ...page,
    });
    await sendPage(reply, html, { status });
  }

  async #loadAccount(userId: string): Promise<Account> {
    try {
      return await requestForUser(this.client, getAccount, { userId });
    } catch (error) {
      if (!(error instanceof SettleError) || error.code !== 'resource_not_found') throw error;
      throw new SettleError('service_unavailable', 'We are still creating your account. Reload this page in a moment.');
    }
  }
}
