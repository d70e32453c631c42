import { Injectable, createParamDecorator, type ExecutionContext, type PipeTransform } from '@nestjs/common';
import { SessionCookie, deriveFormToken, type Exchange } from './session-cookie.js';

/** Injects the request with its reply: Nest would wait for a reply on its own, which is a thenable, until it is sent. */
export const CurrentExchange = createParamDecorator((_data: unknown, context: ExecutionContext): Exchange => {
  const http = context.switchToHttp();
  return { request: http.getRequest(), reply: http.getResponse() };
});

/** A browser, with or without a session. */
export interface Browser {
  /** The id in its session cookie. */
  readonly browserId: string;
  readonly formToken: string;
  readonly callerIp: string;
}

@Injectable()
class ReadBrowser implements PipeTransform<Exchange, Browser> {
  constructor(private readonly cookie: SessionCookie) {}

  transform(exchange: Exchange): Browser {
    const browserId = this.cookie.readOrSet(exchange);
    return { browserId, formToken: deriveFormToken(browserId), callerIp: exchange.request.ip };
  }
}

/** Injects the browser. Sets a new session cookie if it has none. */
export const CurrentBrowser = () => CurrentExchange(ReadBrowser);
