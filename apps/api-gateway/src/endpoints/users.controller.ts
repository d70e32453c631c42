import { Controller, Get, Inject, Param, Req, UseGuards } from '@nestjs/common';
import {
  SANDBOX_TEST_USER,
  getProfile,
  listFriends,
  noSuchUser,
  sandboxTestUserCard,
  toUserResponse,
  type Environment,
  type FriendsPage,
  type Profile,
} from '@settle/contracts';
import { MessageClient } from '@settle/messaging';
import type { FastifyRequest } from 'fastify';
import { nextFriendsLink } from '../responses/next-link.js';
import { serializeFriend } from '../responses/users.js';
import { baseUrlOf, environmentOf, inEveryEnvironment } from '../settings/environment.js';
import { GATEWAY_SETTINGS, type GatewaySettings } from '../settings/gateway-settings.js';
import { checkedId, query } from './queries.js';
import { readFriendsQuery } from '../parameters/list-queries.js';
import { AccessTokenGuard, Opens, ScopeGuard } from '../access/access-token.guard.js';

/** The test user has no friends: the table's trusted friend applies to the amounts of that table alone. */
const NO_FRIENDS: FriendsPage = { friends: [], hasMore: false };

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
    const { scopes } = request.user;
    return { data: toUserResponse(await this.#readProfile(request, checkedId(userId, 'user')), scopes) };
  }

  @Get('friends')
  @Opens('listFriends')
  async friends(@Req() request: FastifyRequest, @Param('userId') userId: string): Promise<object> {
    const asked = readFriendsQuery(request.parameters);
    const payload = { userId: checkedId(userId, 'user'), viewerId: request.user.userId, ...asked };
    const environment = environmentOf(request);
    if (environment === 'sandbox') await this.#readProfile(request, payload.userId);
    const page = isTestUser(environment, userId) ? NO_FRIENDS : await query(this.client, listFriends, payload, request);
    const url = `${baseUrlOf(environment, this.settings.publicUrl)}/users/${userId}/friends`;
    const next = nextFriendsLink(url, request.parameters, asked.limit, page);
    return { pagination: { next }, data: page.friends.map(serializeFriend) };
  }

  /** Error: `resource_not_found`, in the sandbox also for a user who is neither the viewer nor a friend of the viewer. */
  async #readProfile(request: FastifyRequest, userId: string): Promise<Profile> {
    const environment = environmentOf(request);
    if (isTestUser(environment, userId)) return testUserProfile(this.settings.publicUrl);
    const profile = await query(this.client, getProfile, { userId, viewerId: request.user.userId }, request);
    if (environment === 'sandbox' && profile.isFriend === false) throw noSuchUser();
    return profile;
  }
}

/** Whether the requested user is the test user, whom users-service does not know. */
function isTestUser(environment: Environment, userId: string): boolean {
  return environment === 'sandbox' && userId === SANDBOX_TEST_USER.id;
}

/** Returns the test user's profile for readers who may see contacts. @param publicUrl as in `sandboxTestUserCard` */
function testUserProfile(publicUrl: string): Profile {
  const { email, phone } = SANDBOX_TEST_USER;
  return { ...sandboxTestUserCard(publicUrl), email, phone, isFriend: false, friendsCount: 0 };
}
