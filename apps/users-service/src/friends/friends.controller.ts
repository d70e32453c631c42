import {
  AskFriend,
  ChangeFriendship,
  GetFriendships,
  askFriend,
  changeFriendship,
  getFriendships,
  type FriendAsked,
  type Friendships,
} from '@settle/contracts';
import { OnRequest } from '@settle/messaging';
import { Controller } from '@nestjs/common';
import { Friends } from './friends.js';

/** Handles auth-service's requests about the friends of the signed-in user. */
@Controller()
export class FriendsController {
  constructor(private readonly friends: Friends) {}

  @OnRequest(getFriendships)
  list({ userId }: GetFriendships): Promise<Friendships> {
    return this.friends.list(userId);
  }

  @OnRequest(askFriend)
  ask(request: AskFriend): Promise<FriendAsked> {
    return this.friends.ask(request);
  }

  @OnRequest(changeFriendship)
  async change(request: ChangeFriendship): Promise<ChangeFriendship> {
    await this.friends.change(request);
    return request;
  }
}
