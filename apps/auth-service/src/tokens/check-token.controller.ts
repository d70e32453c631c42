import { Controller } from '@nestjs/common';
import { CheckToken, checkToken, type TokenGrant } from '@settle/contracts';
import { OnRequest } from '@settle/messaging';
import { readOrThrowUnavailable } from '@settle/postgres';
import { Tokens } from './tokens.js';

@Controller()
export class CheckTokenController {
  constructor(private readonly tokens: Tokens) {}

  @OnRequest(checkToken)
  check({ tokenSha256 }: CheckToken): Promise<TokenGrant> {
    return readOrThrowUnavailable(this.tokens.check(tokenSha256));
  }
}
