import { randomUUID } from 'node:crypto';
import { Controller, Get, HttpCode, Inject, Param, Post, Put, Req, UseGuards } from '@nestjs/common';
import { LIMITS } from '@settle/config';
import {
  SettleError,
  actOnPayment,
  createPayment,
  getPayment,
  isId,
  listPayments,
  paymentIdFor,
  type RequestContract,
} from '@settle/contracts';
import { MessageClient } from '@settle/messaging';
import type { FastifyRequest } from 'fastify';
import { nextPaymentsLink } from './answers/next-link.js';
import { printCreatedPayment, printListedPayment, printPayment } from './answers/payments.js';
import { GATEWAY_SETTINGS, type GatewaySettings } from './gateway-settings.js';
import { query } from './queries.js';
import { readPaymentsQuery } from './requests/list-queries.dto.js';
import { readActionRequest, readPaymentRequest } from './requests/payment-request.js';
import { AccessTokenGuard, AnyScope, ScopeGuard } from './tokens/access-token.guard.js';

const environment = 'live';

@Controller('v1/payments')
@UseGuards(AccessTokenGuard, ScopeGuard)
export class PaymentsController {
  constructor(
    private readonly client: MessageClient,
    @Inject(GATEWAY_SETTINGS) private readonly settings: GatewaySettings,
  ) {}

  @Post()
  @HttpCode(200)
  @AnyScope('make_payments')
  async create(@Req() request: FastifyRequest): Promise<object> {
    const asked = readPaymentRequest(request.parameters, this.settings.payments.maxAmountCents);
    const { userId: actorId, appId } = request.user;
    const nowMs = Date.now();
    const commandId = randomUUID();
    const paymentId = paymentIdFor(nowMs, commandId);
    const beginBeforeMs = nowMs + LIMITS.gateway.commandBeginMs;
    const command = {
      commandId,
      paymentId,
      appId,
      actorId,
      ...asked,
      medium: 'api',
      environment,
      beginBeforeMs,
    } as const;
    const created = await this.#command(createPayment, command, request);
    return { data: printCreatedPayment(created) };
  }

  @Get()
  @AnyScope('access_payment_history', 'access_profile', 'make_payments')
  async list(@Req() request: FastifyRequest): Promise<object> {
    const asked = readPaymentsQuery(request.parameters);
    const viewerId = request.user.userId;
    const page = await query(this.client, listPayments, { viewerId, environment, ...asked }, request);
    const next = nextPaymentsLink(`${this.settings.publicUrl}/v1/payments`, request.parameters, asked.limit, page);
    return { pagination: { next }, data: page.payments.map(printListedPayment) };
  }

  @Get(':paymentId')
  @AnyScope('access_payment_history', 'access_profile', 'make_payments')
  async one(@Req() request: FastifyRequest, @Param('paymentId') id: string): Promise<object> {
    const payload = { paymentId: checkedPaymentId(id), viewerId: request.user.userId, environment } as const;
    return { data: printPayment(await query(this.client, getPayment, payload, request)) };
  }

  @Put(':paymentId')
  @AnyScope('make_payments')
  async act(@Req() request: FastifyRequest, @Param('paymentId') id: string): Promise<object> {
    const action = readActionRequest(request.parameters);
    const paymentId = checkedPaymentId(id);
    const { userId: actorId, appId } = request.user;
    const beginBeforeMs = Date.now() + LIMITS.gateway.commandBeginMs;
    const commandId = randomUUID();
    const command = { commandId, paymentId, action, actorId, appId, environment, beginBeforeMs } as const;
    return { data: printListedPayment(await this.#command(actOnPayment, command, request)) };
  }

  /** Sends a command. Where nobody knows what became of it, the error names the payment to look at. */
  async #command<Command extends { paymentId: string }, Reply extends object>(
    contract: RequestContract<Command, Reply>,
    command: Command,
    { user, id: requestId }: FastifyRequest,
  ): Promise<Reply> {
    try {
      const options = { key: user.userId, timeoutMs: LIMITS.gateway.commandWaitMs, requestId };
      return await this.client.request(contract, command, options);
    } catch (error) {
      if (error instanceof SettleError && error.code === 'outcome_unknown') throw outcomeUnknown(command.paymentId);
      throw error;
    }
  }
}

function outcomeUnknown(paymentId: string): SettleError {
  const message = `No answer came in time. Read payment ${paymentId} in ten seconds: it shows what happened; if it is not there, nothing did.`;
  return new SettleError('outcome_unknown', message, { paymentId });
}

/** What is no id is the id of nothing. */
function checkedPaymentId(id: string): string {
  if (isId(id)) return id;
  throw new SettleError('resource_not_found', 'There is no such payment.');
}
