import type { components, operations } from './openapi.generated.js';

type Schemas = components['schemas'];
type Data<Envelope extends { readonly data: unknown }> = Envelope['data'];
type Query<Operation extends { parameters: { query?: unknown } }> = NonNullable<Operation['parameters']['query']>;

export type Payment = Schemas['Payment'];
/** A payment in a list and after `approve`, `deny` and `cancel`: without `medium`, `fee` and `refund`. */
export type ListedPayment = Schemas['ListedPayment'];
export type NewPayment = Schemas['NewPayment'];
export type PaymentAction = Schemas['PaymentChange']['action'];
/** A payment and the balance of its actor after it. */
export type CreatedPayment = Data<Schemas['CreatedPayment']>;
export type User = Schemas['User'];
export type Friend = Schemas['Friend'];
/** The user of the tokens and the balance, which is null without the scope `access_balance`. */
export type Me = Data<Schemas['Me']>;
export type PaymentsQuery = Query<operations['listPayments']>;
export type FriendsQuery = Query<operations['listFriends']>;
/** The body of a response with an error. */
export type ErrorBody = Schemas['Error'];
export type ErrorCode = ErrorBody['error']['code'];
/** The body of the token endpoint's response. */
export type TokenResponse = operations['getTokens']['responses'][200]['content']['application/json'];

/** The address of the API and the credentials of an app. */
export interface App {
  /** Ends with `/v1`, or with `/sandbox/v1` for payments without real money. */
  readonly baseUrl: string;
  readonly clientId: string;
  /** Only for an app that has a secret. Never ship it to a browser. */
  readonly clientSecret?: string;
}

/** The tokens by which an app acts for a user. */
export interface Tokens {
  readonly accessToken: string;
  /** Missing after the client-side flow: such tokens cannot be renewed. */
  readonly refreshToken?: string;
}
