import { GetProfile, ListFriends, getProfile, listFriends, type FriendsPage, type Profile } from '@settle/contracts';
import { OnRequest } from '@settle/messaging';
import { readOrThrowUnavailable } from '@settle/postgres';
import { Controller } from '@nestjs/common';
import { UserQueries } from './user-queries.js';

/** Handles the requests of other services. */
@Controller()
export class UsersController {
  constructor(private readonly queries: UserQueries) {}

  @OnRequest(getProfile)
  profile(request: GetProfile): Promise<Profile> {
    return readOrThrowUnavailable(this.queries.profile(request));
  }

  @OnRequest(listFriends)
  friends(request: ListFriends): Promise<FriendsPage> {
    return readOrThrowUnavailable(this.queries.friends(request));
  }
}
