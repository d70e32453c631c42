import { Controller, Get, Inject, Param, Req, UseGuards } from '@nestjs/common';
import { getProfile, listFriends, toUserResponse } from '@settle/contracts';
import { MessageClient } from '@settle/messaging';
import type { FastifyRequest } from 'fastify';
import { nextFriendsLink } from '../responses/next-link.js';
import { serializeFriend } from '../responses/users.js';
import { baseUrlOf, environmentOf, inEveryEnvironment } from '../settings/environment.js';
import { GATEWAY_SETTINGS, type GatewaySettings } from '../settings/gateway-settings.js';
import { checkedId, query } from './queries.js';
import { readFriendsQuery } from '../parameters/list-queries.js';
import { NO_FRIENDS, isTestUser, testUserProfile } from './sandbox-test-user.js';
import { AccessTokenGuard, Opens, ScopeGuard } from '../access/access-token.guard.js';

@Controller(inEveryEnvironment('users/:userId'))
@UseGuards(AccessTokenGuard, ScopeGuard)
export class UsersController {
  constructor(
    private readonly client: MessageClient,
    @Inject(GATEWAY_SETTINGS) private readonly settings: GatewaySettings,
  ) {}

  @Get()
  @Opens('readUser')
  async profile(@Req() request: FastifyRequest, @Param('userId') userId: string): Promise<object> {
    const { userId: viewerId, scopes } = request.user;
    const payload = { userId: checkedId(userId, 'user'), viewerId };
    const profile = isTestUser(environmentOf(request), userId)
      ? testUserProfile(this.settings.publicUrl)
      : await query(this.client, getProfile, payload, request);
    return { data: toUserResponse(profile, scopes) };
  }

  @Get('friends')
  @Opens('listFriends')
  async friends(@Req() request: FastifyRequest, @Param('userId') userId: string): Promise<object> {
    const asked = readFriendsQuery(request.parameters);
    const payload = { userId: checkedId(userId, 'user'), viewerId: request.user.userId, ...asked };
    const environment = environmentOf(request);
    const page = isTestUser(environment, userId) ? NO_FRIENDS : await query(this.client, listFriends, payload, request);
    const url = `${baseUrlOf(environment, this.settings.publicUrl)}/users/${userId}/friends`;
    const next = nextFriendsLink(url, request.parameters, asked.limit, page);
    return { pagination: { next }, data: page.friends.map(serializeFriend) };
  }
}
