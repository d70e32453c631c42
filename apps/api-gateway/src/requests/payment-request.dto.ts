import { IsOptional } from 'class-validator';
import {
  isBlank,
  readAmountCents,
  readAudience,
  readEmailTarget,
  readNote,
  readPhoneTarget,
  readRequestAction,
  readUserIdTarget,
  type ParameterRule,
} from './parameter-rules.js';
import { Follows, Refuses, Required, refusalOf, type Check } from './parameter-validation.js';
import { targetProblem } from './payment-request.js';
import type { RequestParameters } from './request-parameters.js';

const unlessBlank =
  (rule: ParameterRule<unknown>): ParameterRule<unknown> =>
  (value, name) =>
    isBlank(value) ? null : rule(value, name);

const choiceOfTarget: Check = (_value, _name, dto) => targetProblem(dto as RequestParameters);
const withCode =
  (code: string): Check =>
  (...args) => {
    const problem = choiceOfTarget(...args);
    return problem?.code === code ? problem : null;
  };

const amountUpToMaximum: Check = (value, _name, dto) =>
  refusalOf(() => readAmountCents(value, (dto as PaymentRequestBody).maxAmountCents));

/** Body of POST /payments. Requests are read by `readPaymentRequest`: the same rules, precompiled. */
export class PaymentRequestBody {
  /** @param maxAmountCents the operator's limit, not a parameter */
  constructor(readonly maxAmountCents: number) {}

  @Refuses('missing_parameter', withCode('missing_parameter'))
  @Refuses('invalid_target', (...args) => withCode('invalid_target')(...args) ?? unreadableUserId(args[0], args[1]))
  user_id?: unknown;

  @Follows('invalid_email', unlessBlank(readEmailTarget))
  email?: unknown;

  @Follows('invalid_phone', unlessBlank(readPhoneTarget))
  phone?: unknown;

  @Required()
  @Follows('invalid_note', readNote)
  note: unknown;

  @Required()
  @Refuses('invalid_amount', amountUpToMaximum)
  amount: unknown;

  @IsOptional()
  @Follows('invalid_audience', readAudience)
  audience?: unknown;
}

/** Body of PUT /payments/:payment. Requests are read by `readActionRequest`. */
export class ActionRequestBody {
  @Required()
  @Follows('invalid_action', readRequestAction)
  action: unknown;
}

function unreadableUserId(value: unknown, name: string): ReturnType<Check> {
  return refusalOf(() => unlessBlank(readUserIdTarget)(value, name));
}
