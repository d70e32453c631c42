import { randomUUID } from 'node:crypto';
import { Controller, Get, HttpCode, Inject, Param, Post, Put, Req, Res, UseGuards } from '@nestjs/common';
import { LIMITS } from '@settle/config';
import {
  SettleError,
  actOnPayment,
  createPayment,
  getPayment,
  listPayments,
  derivePaymentId,
  type CreatePayment,
  type MaybeReplayed,
  type RequestContract,
} from '@settle/contracts';
import { MessageClient } from '@settle/messaging';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { JSON_TYPE } from '../responses/json-type.js';
import { nextPaymentsLink } from '../responses/next-link.js';
import {
  listedPaymentsJson,
  serializeCreatedPayment,
  serializeListedPayment,
  serializePayment,
} from '../responses/payments.js';
import { baseUrlOf, environmentOf, inEveryEnvironment } from '../settings/environment.js';
import { GATEWAY_SETTINGS, type GatewaySettings } from '../settings/gateway-settings.js';
import { checkedId, query } from './queries.js';
import { idempotencyOf } from '../parameters/idempotency-key.js';
import { readPaymentsQuery } from '../parameters/list-queries.js';
import { readParameters } from '../parameters/parameter-table.js';
import {
  ACTION_PARAMETERS,
  paymentParameters,
  readPaymentRequest,
  type PaymentParameters,
} from '../parameters/payment-request.js';
import { AccessTokenGuard, Opens, ScopeGuard } from '../access/access-token.guard.js';

@Controller(inEveryEnvironment('payments'))
@UseGuards(AccessTokenGuard, ScopeGuard)
export class PaymentsController {
  readonly #parameters: PaymentParameters;

  constructor(
    private readonly client: MessageClient,
    @Inject(GATEWAY_SETTINGS) private readonly settings: GatewaySettings,
  ) {
    this.#parameters = paymentParameters(settings.payments.maxAmountCents);
  }

  @Post()
  @HttpCode(200)
  @Opens('createPayment')
  async create(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
    const asked = readPaymentRequest(request.parameters, this.#parameters);
    const fields = commandFields(request, asked);
    const paymentId = derivePaymentId(Date.now(), fields.commandId);
    const command = { ...fields, ...asked, paymentId, medium: 'api' } as const;
    const created = await this.#command(createPayment, command, request);
    sayWhetherReplayed(created, reply);
    return { data: serializeCreatedPayment(created) };
  }

  @Get()
  @Opens('listPayments')
  async list(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object | string> {
    const asked = readPaymentsQuery(request.parameters);
    const viewerId = request.user.userId;
    const environment = environmentOf(request);
    const page = await query(this.client, listPayments, { viewerId, environment, ...asked }, request);
    const url = `${baseUrlOf(environment, this.settings.publicUrl)}/payments`;
    const next = nextPaymentsLink(url, request.parameters, asked.limit, page);
    // The datetimes of legacy responses are changed before serialization.
    if (request.user.legacyAnswers === true) {
      return { pagination: { next }, data: page.payments.map(serializeListedPayment) };
    }
    void reply.type(JSON_TYPE);
    return `{"pagination":${JSON.stringify({ next })},"data":${listedPaymentsJson(page)}}`;
  }

  @Get(':paymentId')
  @Opens('readPayment')
  async one(@Req() request: FastifyRequest, @Param('paymentId') id: string): Promise<object> {
    const environment = environmentOf(request);
    const payload = { paymentId: checkedId(id, 'payment'), viewerId: request.user.userId, environment };
    return { data: serializePayment(await query(this.client, getPayment, payload, request)) };
  }

  @Put(':paymentId')
  @Opens('actOnPayment')
  async act(
    @Req() request: FastifyRequest,
    @Param('paymentId') id: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const { action } = readParameters(request.parameters, ACTION_PARAMETERS);
    const command = { ...commandFields(request, { id, action }), paymentId: checkedId(id, 'payment'), action };
    const payment = await this.#command(actOnPayment, command, request);
    sayWhetherReplayed(payment, reply);
    return { data: serializeListedPayment(payment) };
  }

  /** Sends a command. If its outcome is unknown, the error contains the id of the payment to check. */
  async #command<Command extends Pick<CreatePayment, 'paymentId' | 'idempotency'>, Reply extends object>(
    contract: RequestContract<Command, Reply>,
    command: Command,
    { user, id: requestId, traceparent }: FastifyRequest,
  ): Promise<Reply> {
    try {
      const options = { key: user.userId, timeoutMs: LIMITS.gateway.commandWaitMs, requestId, traceparent };
      return await this.client.request(contract, command, options);
    } catch (error) {
      if (error instanceof SettleError && error.code === 'outcome_unknown') throw outcomeUnknown(command);
      throw error;
    }
  }
}

/** The fields of every command of a request. @param asked for by the request, see `idempotencyOf` */
function commandFields(request: FastifyRequest, asked: object) {
  const { userId: actorId, appId, appAmountPerDayCents } = request.user;
  return {
    commandId: randomUUID(),
    actorId,
    appId,
    ...(appAmountPerDayCents !== undefined && { appAmountPerDayCents }),
    ...idempotencyOf(request, asked),
    environment: environmentOf(request),
    beginBeforeMs: Date.now() + LIMITS.gateway.commandBeginMs,
  };
}

function sayWhetherReplayed({ isReplayed }: MaybeReplayed, reply: FastifyReply): void {
  if (isReplayed) reply.header('idempotent-replayed', 'true');
}

function outcomeUnknown({ paymentId, idempotency }: Pick<CreatePayment, 'paymentId' | 'idempotency'>): SettleError {
  // Under a key it may be an earlier sending's payment, whose id is not known here.
  if (idempotency) {
    const again = 'No answer came in time. Send it again with the same Idempotency-Key: it will be done once.';
    return new SettleError('outcome_unknown', again);
  }
  const message = `No answer came in time. Read payment ${paymentId} in ten seconds: it shows what happened; if it is not there, nothing did. A server whose events are in EventStoreDB is sure only after half a minute.`;
  return new SettleError('outcome_unknown', message, { paymentId });
}
