import { Controller, Get, Req, UseGuards } from '@nestjs/common';
import { getBalance, getProfile, isOpen, formatAmount, toUserResponse } from '@settle/contracts';
import { MessageClient } from '@settle/messaging';
import type { FastifyRequest } from 'fastify';
import { environmentOf, inEveryEnvironment } from '../settings/environment.js';
import { query } from './queries.js';
import { AccessTokenGuard, Opens, ScopeGuard } from '../access/access-token.guard.js';

@Controller(inEveryEnvironment('me'))
@UseGuards(AccessTokenGuard, ScopeGuard)
export class MeController {
  constructor(private readonly client: MessageClient) {}

  @Get()
  @Opens('readMe')
  async me(@Req() request: FastifyRequest): Promise<object> {
    const { userId, scopes } = request.user;
    const [profile, balance] = await Promise.all([
      query(this.client, getProfile, { userId, viewerId: userId }, request),
      isOpen('balance', scopes)
        ? query(this.client, getBalance, { userId, environment: environmentOf(request) }, request)
        : null,
    ]);
    const balanceOrNull = balance === null ? null : formatAmount(balance.balanceCents);
    return { data: { balance: balanceOrNull, user: toUserResponse(profile, scopes) } };
  }
}
