import { LIMITS } from '@settle/config';
import { SettleError } from '@settle/contracts';

/** Names that a message may repeat. Others may be anything, including a misplaced token. */
const ORDINARY_NAME = /^[a-z]{1,12}(?:_[a-z]{1,12})?$/;

/** Returns how messages refer to a parameter. */
export function calledInMessages(name: string): string {
  return ORDINARY_NAME.test(name) ? name : 'A parameter';
}

export function invalidRequest(message: string): SettleError {
  return new SettleError('invalid_request', message);
}

export function tooManyParameters(): SettleError {
  return invalidRequest(
    `There are more than ${LIMITS.gateway.parametersCount} parameters: send only those that count.`,
  );
}
