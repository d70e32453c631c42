import { Body, Controller, Get, Post, Query, Res, UseGuards } from '@nestjs/common';
import { abilitiesOf } from '@settle/contracts';
import type { FastifyReply } from 'fastify';
import { doneWords } from '../account/done.js';
import { CarriedSecret, TypedText } from '../pages/form-fields.js';
import { accountHead } from '../pages/navigation.js';
import { leadTo, sendPage } from '../pages/send-page.js';
import { OwnForm } from '../sign-in/own-form.guard.js';
import { formTokenOf } from '../sign-in/session-cookie.js';
import type { SignedIn } from '../sign-in/sessions.js';
import { Me, SignedInGuard } from '../sign-in/signed-in.guard.js';
import { ConnectedApps, type ConnectedApp } from './connected-apps.js';
import { renderConnectedApps } from './connected-apps.page.js';

class RevokeForm {
  @CarriedSecret()
  form_token: string;

  @TypedText(200)
  app: string;
}

/** The apps that somebody let in, and the way to end that. */
@Controller('account/apps')
@UseGuards(SignedInGuard)
export class ConnectedAppsController {
  constructor(private readonly apps: ConnectedApps) {}

  @Get()
  async page(@Me() me: SignedIn, @Res() reply: FastifyReply, @Query('done') done: unknown): Promise<void> {
    const head = accountHead('/account/apps', formTokenOf(me.sessionId));
    const apps = (await this.apps.of(me.userId)).map(inWords);
    await sendPage(reply, renderConnectedApps({ head, done: doneWords(done), apps }));
  }

  @Post('revoke')
  @UseGuards(OwnForm(RevokeForm))
  async revoke(@Me() me: SignedIn, @Res() reply: FastifyReply, @Body() form: RevokeForm): Promise<void> {
    await this.apps.disconnect(me.userId, form.app);
    await leadTo(reply, '/account/apps?done=disconnected');
  }
}

function inWords({ scopes, connectedAt, lastUsedAt, ...app }: ConnectedApp) {
  return {
    ...app,
    abilities: abilitiesOf(scopes),
    connectedOn: minuteOf(connectedAt),
    lastUsedOn: lastUsedAt && minuteOf(lastUsedAt),
  };
}

function minuteOf(date: Date): string {
  return `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
