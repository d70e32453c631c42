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
import { accountHead } from '../pages/navigation.js';
import { leadTo, sendPage } from '../pages/send-page.js';
import { SETTINGS } from '../providers.js';
import { CsrfGuard } from '../sign-in/csrf.guard.js';
import { deriveFormToken } from '../sign-in/session-cookie.js';
import type { SignedInUser } from '../sign-in/sessions.js';
import { SignIn } from '../sign-in/sign-in.js';
import { CurrentUser, SessionGuard } from '../sign-in/session.guard.js';
import { findNameFaults } from '../sign-up/sign-up-rules.js';
import { AddressForm, ProfileForm, checkedKind } from './account.forms.js';
import { AddressProofs } from './address-proofs.js';
import { askFor } from './ask-for.js';
import { doneWords } from './done.js';
import { renderProfile, type ProfilePage, type TypedProfile } from './profile.page.js';

const LONGEST_ABOUT = 500;

const FAULTS = {
  email: 'This is no e-mail address. It looks like name@example.com.',
  phone: 'This is no US phone number. It looks like (415) 555-0101.',
};

/** One's own profile and addresses. */
@Controller('account')
@UseGuards(SessionGuard)
export class ProfileController {
  constructor(
    private readonly client: MessageClient,
    private readonly proofs: AddressProofs,
    private readonly signIn: SignIn,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Get()
  async page(@CurrentUser() me: SignedInUser, @Res() reply: FastifyReply, @Query('done') done: unknown): Promise<void> {
    await this.#show(reply, me, { done: doneWords(done) });
  }

  @Post()
  @UseGuards(CsrfGuard(ProfileForm))
  async save(@CurrentUser() me: SignedInUser, @Res() reply: FastifyReply, @Body() form: ProfileForm): Promise<void> {
    const about = form.about.replaceAll('\r\n', '\n').trim();
    const faults: Partial<Record<keyof TypedProfile, string>> = findNameFaults(form);
    if ([...about].length > LONGEST_ABOUT) faults.about = `Take at most ${LONGEST_ABOUT} characters.`;
    else if (!isPlainText(about))
      faults.about = 'It holds control characters or characters that turn text around. Leave them out.';
    if (Object.keys(faults).length > 0) return this.#show(reply, me, { typed: form, faults }, 400);
    const [firstName, lastName] = [form.first_name.trim(), form.last_name.trim()];
    const change = { userId: me.userId, firstName, lastName, about, defaultAudience: form.default_audience };
    await askFor(this.client, changeAccount, change);
    await leadTo(reply, '/account?done=saved');
  }

  @Post('addresses/:kind')
  @UseGuards(CsrfGuard(AddressForm))
  async add(
    @CurrentUser() me: SignedInUser,
    @Req() request: FastifyRequest & { readonly body: AddressForm },
    @Res() reply: FastifyReply,
    @Param('kind') kind: string,
  ): Promise<void> {
    const checked = checkedKind(kind);
    const { address: typedAddress, current_password: password } = request.body;
    const typedAddresses = { [checked]: typedAddress };
    const address = checked === 'email' ? parseEmail(typedAddress) : parseUsPhone(typedAddress);
    if (address === null) {
      return this.#show(reply, me, { typedAddresses, faults: { [checked]: FAULTS[checked] } }, 400);
    }
    if ((await this.signIn.reauthenticate(me, password, request)) === null) {
      return this.#show(reply, me, { typedAddresses, isWrongPassword: true }, 403);
    }
    const { sessionId, userId } = me;
    await this.proofs.begin({ kind: checked, address, sessionId, userId, callerIp: request.ip });
    await leadTo(reply, `/account/addresses/${checked}/code`);
  }

  @Post('addresses/:kind/remove')
  @UseGuards(CsrfGuard(AddressForm))
  async remove(
    @CurrentUser() me: SignedInUser,
    @Req() request: FastifyRequest & { readonly body: AddressForm },
    @Res() reply: FastifyReply,
    @Param('kind') kind: string,
  ): Promise<void> {
    const { address, current_password: password } = request.body;
    if ((await this.signIn.reauthenticate(me, password, request)) === null) {
      return this.#show(reply, me, { isWrongPassword: true }, 403);
    }
    await this.proofs.remove(me.userId, checkedKind(kind), address);
    await leadTo(reply, '/account?done=removed');
  }

  async #show(reply: FastifyReply, me: SignedInUser, page: Partial<ProfilePage>, status = 200): Promise<void> {
    const account = await this.#read(me.userId);
    const { publicUrl, devTools: hasDevTools } = this.settings;
    const { firstName, lastName, about, profilePictureUrl } = account.card;
    const html = renderProfile({
      head: accountHead('/account', deriveFormToken(me.sessionId)),
      account,
      picturePath: profilePictureUrl.replace(publicUrl, ''),
      typed: { first_name: firstName, last_name: lastName, about, default_audience: account.defaultAudience },
      faults: {},
      typedAddresses: {},
      isWrongPassword: false,
      done: null,
      hasDevTools,
      ...page,
    });
    await sendPage(reply, html, { status });
  }

  async #read(userId: string): Promise<Account> {
    try {
      return await askFor(this.client, getAccount, { userId });
    } catch (error) {
      if (!(error instanceof SettleError) || error.code !== 'resource_not_found') throw error;
      throw new SettleError('service_unavailable', 'Your account is being made. Load this page again in a moment.');
    }
  }
}
