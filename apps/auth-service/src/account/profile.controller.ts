import { Body, Controller, Get, Inject, Param, Query, Req, UseGuards } from '@nestjs/common';
import type { Settings } from '@settle/config';
import { SettleError, changeAccount, getAccount, isPlainText, parseEmail, parseUsPhone } from '@settle/contracts';
import { MessageClient } from '@settle/messaging';
import type { FastifyRequest } from 'fastify';
import { AddressVerification } from '../addresses/address-verification.js';
import { form, password, text, type FormOf } from '../http/form.js';
import { page, redirect, type PageResponse } from '../http/page-response.js';
import { SETTINGS } from '../injection/providers.js';
import { PostForm } from '../sign-in/csrf.guard.js';
import { CurrentUser, SessionGuard } from '../sign-in/session.guard.js';
import type { SignedInUser } from '../sign-in/sessions.js';
import { SignIn } from '../sign-in/sign-in.js';
import { findNameFaults } from '../sign-up/sign-up-rules.js';
import { requestForUser } from '../user-requests/user-requests.js';
import { parseAddressKind } from './address-code.controller.js';
import { ProfileForm, renderProfile, type ProfileInput, type ProfilePage } from './profile.page.js';

const AddressForm = form({ address: text(320), current_password: password });

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
  page(@CurrentUser() user: SignedInUser, @Query('done') done: unknown): Promise<PageResponse> {
    return this.#page(user, { done });
  }

  @PostForm('', ProfileForm)
  async save(@CurrentUser() user: SignedInUser, @Body() form: FormOf<typeof ProfileForm>): Promise<PageResponse> {
    const about = form.about.replaceAll('\r\n', '\n').trim();
    const faults: Partial<Record<keyof ProfileInput, string>> = findNameFaults(form);
    if ([...about].length > MAX_ABOUT_LENGTH) faults.about = `Use at most ${MAX_ABOUT_LENGTH} characters.`;
    else if (!isPlainText(about))
      faults.about = 'Remove control characters and characters that reverse the text direction.';
    if (Object.keys(faults).length > 0) return this.#page(user, { typed: form, faults }, 400);
    const [firstName, lastName] = [form.first_name.trim(), form.last_name.trim()];
    const change = { userId: user.userId, firstName, lastName, about, defaultAudience: form.default_audience };
    await requestForUser(this.client, changeAccount, change);
    return redirect('/account?done=saved');
  }

  @PostForm('addresses/:kind', AddressForm)
  async addAddress(
    @CurrentUser() user: SignedInUser,
    @Req() request: FastifyRequest,
    @Body() { address: typed, current_password: password }: FormOf<typeof AddressForm>,
    @Param('kind') kindText: string,
  ): Promise<PageResponse> {
    const kind = parseAddressKind(kindText);
    const typedAddresses = { [kind]: typed };
    const address = kind === 'email' ? parseEmail(typed) : parseUsPhone(typed);
    if (address === null) return this.#page(user, { typedAddresses, faults: { [kind]: ADDRESS_FAULTS[kind] } }, 400);
    if ((await this.signIn.reauthenticate(user, password, request)) === null) {
      return this.#page(user, { typedAddresses, isWrongPassword: true }, 403);
    }
    const { sessionId, userId } = user;
    await this.verification.sendCode({ kind, to: address, sessionId, userId, callerIp: request.ip });
    return redirect(`/account/addresses/${kind}/code`);
  }

  @PostForm('addresses/:kind/remove', AddressForm)
  async removeAddress(
    @CurrentUser() user: SignedInUser,
    @Req() request: FastifyRequest,
    @Body() { address, current_password: password }: FormOf<typeof AddressForm>,
    @Param('kind') kindText: string,
  ): Promise<PageResponse> {
    const kind = parseAddressKind(kindText);
    if ((await this.signIn.reauthenticate(user, password, request)) === null) {
      return this.#page(user, { isWrongPassword: true }, 403);
    }
    const isRemoved = await this.verification.remove({ userId: user.userId, kind, value: address });
    if (!isRemoved) return this.#page(user, { isUnknownAddress: true }, 400);
    return redirect('/account?done=removed');
  }

  async #page(user: SignedInUser, content: Partial<ProfilePage> & { done?: unknown }, status = 200) {
    const account = await requestForUser(this.client, getAccount, { userId: user.userId }).catch((error: unknown) => {
      if (!(error instanceof SettleError) || error.code !== 'resource_not_found') throw error;
      throw new SettleError('service_unavailable', 'We are still creating your account. Reload this page in a moment.');
    });
    const { publicUrl, devTools: hasDevTools } = this.settings;
    const { firstName, lastName, about, profilePictureUrl } = account.card;
    const picturePath = profilePictureUrl.replace(publicUrl, '');
    const typed = { first_name: firstName, last_name: lastName, about, default_audience: account.defaultAudience };
    return page(renderProfile(user, { account, picturePath, typed, hasDevTools, ...content }), { status });
  }
}
