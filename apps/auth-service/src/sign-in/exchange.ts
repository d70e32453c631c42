import { Injectable, createParamDecorator, type ExecutionContext, type PipeTransform } from '@nestjs/common';
import { SessionCookie, type Exchange } from './session-cookie.js';

/** Injects the request with its reply: Nest would wait for a reply on its own, which is a thenable, until it is sent. */
export const CurrentExchange = createParamDecorator((_data: unknown, context: ExecutionContext): Exchange => {
  const http = context.switchToHttp();
  return { request: http.getRequest(), reply: http.getResponse() };
});

@Injectable()
class ReadOrSetCookie implements PipeTransform<Exchange, string> {
  constructor(private readonly cookie: SessionCookie) {}

  transform(exchange: Exchange): string {
    return this.cookie.readOrSet(exchange);
  }
}

/** Injects the id in the browser's session cookie, of a session or not. Sets a new cookie if there is none. */
export const BrowserId = () => CurrentExchange(ReadOrSetCookie);
