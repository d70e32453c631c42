// Made from docs/openapi.json by node tools/generate.mjs.
export interface paths {
    "/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whose token this is, and the balance */
        get: operations["getMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One user */
        get: operations["getUser"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{user_id}/friends": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A user's friends */
        get: operations["listFriends"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The user's payments and charges */
        get: operations["listPayments"];
        put?: never;
        /** Pay or charge a user */
        post: operations["createPayment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payments/{payment}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One payment or charge */
        get: operations["getPayment"];
        /** Approve, deny or cancel a pending payment */
        put: operations["changePayment"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/access_token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Tokens for a code, or for a refresh token */
        post: operations["getTokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Revoke a token (RFC 7009) */
        post: operations["revoke"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/oauth-authorization-server": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Where everything is (RFC 8414) */
        get: operations["authorizationServer"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * @description A decimal number of 18 or 19 digits, below 2^63. Compare it as a number, never put it into a double.
         * @example 1852942305918484482
         */
        Id: string;
        /**
         * Format: date-time
         * @description UTC with microseconds.
         * @example 2026-01-31T10:00:00.123456Z
         */
        Datetime: string;
        /** @description A user. */
        User: {
            /**
             * @description The user.
             * @example 1852942301724180481
             */
            id: components["schemas"]["Id"];
            /**
             * @description Unique without regard to case.
             * @example alice
             */
            username: string;
            /**
             * @description First name.
             * @example Alice
             */
            first_name: string;
            /**
             * @description Last name.
             * @example Archer
             */
            last_name: string;
            /**
             * @description What to call the user.
             * @example Alice Archer
             */
            display_name: string;
            /**
             * @description The bio; empty until it is set.
             * @example Pays for the coffee.
             */
            about: string;
            /**
             * @description The user's own picture, or one with initials.
             * @example https://settle.example.com/pictures/AA.svg
             */
            profile_picture_url: string;
            /** @description When the user joined. */
            date_joined: components["schemas"]["Datetime"];
            /**
             * @description Null when there is none, or the token lacks `access_email`.
             * @example alice@example.com
             * @example null
             */
            email: string | null;
            /**
             * @description Null when there is none, or the token lacks `access_phone`.
             * @example +14155550101
             * @example null
             */
            phone: string | null;
            /**
             * @description Whether the caller's user is a friend of this one; null for oneself.
             * @example true
             */
            is_friend: boolean | null;
            /**
             * @description How many friends the user has.
             * @example 1
             */
            friends_count: number;
        };
        /** @description A user in a list of friends. */
        Friend: {
            /**
             * @description The user.
             * @example 1852942301724180481
             */
            id: components["schemas"]["Id"];
            /**
             * @description Unique without regard to case.
             * @example alice
             */
            username: string;
            /**
             * @description First name.
             * @example Alice
             */
            first_name: string;
            /**
             * @description Last name.
             * @example Archer
             */
            last_name: string;
            /**
             * @description What to call the user.
             * @example Alice Archer
             */
            display_name: string;
            /**
             * @description The bio; empty until it is set.
             * @example Pays for the coffee.
             */
            about: string;
            /**
             * @description The user's own picture, or one with initials.
             * @example https://settle.example.com/pictures/AA.svg
             */
            profile_picture_url: string;
        };
        /** @description A user as a party of a payment. */
        Party: {
            /**
             * @description The user.
             * @example 1852942301724180481
             */
            id: components["schemas"]["Id"];
            /**
             * @description Unique without regard to case.
             * @example alice
             */
            username: string;
            /**
             * @description First name.
             * @example Alice
             */
            first_name: string;
            /**
             * @description Last name.
             * @example Archer
             */
            last_name: string;
            /**
             * @description What to call the user.
             * @example Alice Archer
             */
            display_name: string;
            /**
             * @description The bio; empty until it is set.
             * @example Pays for the coffee.
             */
            about: string;
            /**
             * @description The user's own picture, or one with initials.
             * @example https://settle.example.com/pictures/AA.svg
             */
            profile_picture_url: string;
            /** @description When the user joined. */
            date_joined: components["schemas"]["Datetime"];
        };
        /** @description A payment in a list and after PUT: without `medium`, `fee` and `refund`. */
        ListedPayment: {
            /**
             * @description The payment.
             * @example 2235351801266466090
             */
            id: components["schemas"]["Id"];
            /**
             * @description All but `pending` are final.
             * @enum {string}
             */
            status: "settled" | "pending" | "failed" | "expired" | "cancelled";
            /**
             * @description `pay` sends money, `charge` asks for it.
             * @enum {string}
             */
            action: "pay" | "charge";
            /**
             * @description Positive for a pay, negative for a charge.
             * @example 12.5
             */
            amount: string;
            /**
             * @description As sent, trimmed.
             * @example Lunch
             */
            note: string;
            /**
             * @description Display only: it gives no other user access to the payment.
             * @enum {string}
             */
            audience: "public" | "friends" | "private";
            /** @description When it was made. */
            date_created: components["schemas"]["Datetime"];
            date_completed: components["schemas"]["Datetime"] | null;
            /** @description Who made it. */
            actor: components["schemas"]["Party"];
            target: components["schemas"]["Target"];
        };
        /** @description A payment. */
        Payment: {
            /**
             * @description The payment.
             * @example 2235351801266466090
             */
            id: components["schemas"]["Id"];
            /**
             * @description All but `pending` are final.
             * @enum {string}
             */
            status: "settled" | "pending" | "failed" | "expired" | "cancelled";
            /**
             * @description `pay` sends money, `charge` asks for it.
             * @enum {string}
             */
            action: "pay" | "charge";
            /**
             * @description Positive for a pay, negative for a charge.
             * @example 12.5
             */
            amount: string;
            /**
             * @description As sent, trimmed.
             * @example Lunch
             */
            note: string;
            /**
             * @description Display only: it gives no other user access to the payment.
             * @enum {string}
             */
            audience: "public" | "friends" | "private";
            /**
             * @description Through what the payment was made.
             * @enum {string}
             */
            medium: "ios" | "android" | "web" | "api";
            /** @description When it was made. */
            date_created: components["schemas"]["Datetime"];
            date_completed: components["schemas"]["Datetime"] | null;
            /** @description Who made it. */
            actor: components["schemas"]["Party"];
            target: components["schemas"]["Target"];
            /**
             * @description What the payer pays on top of the amount; null when there is no fee.
             * @example null
             */
            fee: string | null;
            /** @description The payment by which a held pay went back to its payer. */
            refund: components["schemas"]["Payment"] | null;
        };
        /** @description Whose token it is. */
        Me: {
            /** @description The user and what they have. */
            data: {
                /**
                 * @description Null when the token lacks `access_balance`. Negative after a chargeback.
                 * @example 100
                 * @example null
                 */
                balance: string | null;
                user: components["schemas"]["User"];
            };
        };
        /** @description A user. */
        OneUser: {
            data: components["schemas"]["User"];
        };
        /** @description A page of friends, ascending by id. */
        FriendsPage: {
            /** @description Where the list goes on. */
            pagination: {
                /**
                 * Format: uri
                 * @description The address of the next page, without a token; null when there is none.
                 * @example null
                 */
                next: string | null;
            };
            data: components["schemas"]["Friend"][];
        };
        /** @description The payment, and what is left. */
        CreatedPayment: {
            /** @description The payment, and what is left. */
            data: {
                /**
                 * @description What the actor has after this call, whatever the token's scopes. Negative after a chargeback.
                 * @example 87.5
                 */
                balance: string;
                payment: components["schemas"]["Payment"];
            };
        };
        /** @description A page of payments, newest first. */
        PaymentsPage: {
            /** @description Where the list goes on. */
            pagination: {
                /**
                 * Format: uri
                 * @description The address of the next page, without a token; null when there is none.
                 * @example null
                 */
                next: string | null;
            };
            data: components["schemas"]["ListedPayment"][];
        };
        /** @description A payment. */
        OnePayment: {
            data: components["schemas"]["Payment"];
        };
        /** @description The payment as it is now. */
        ChangedPayment: {
            data: components["schemas"]["ListedPayment"];
        };
        /** @description A refusal. */
        Error: {
            /** @description What is wrong. */
            error: {
                /** @description For people: what to do. It may change. */
                message: string;
                /**
                 * @description For programs: it is stable.
                 * @enum {string}
                 */
                code: "invalid_request" | "missing_parameter" | "invalid_amount" | "invalid_note" | "invalid_audience" | "invalid_target" | "invalid_email" | "invalid_phone" | "invalid_limit" | "invalid_date" | "invalid_status" | "invalid_action" | "cannot_pay_self" | "insufficient_funds" | "sandbox_amount_unknown" | "invalid_grant" | "invalid_scope" | "unsupported_grant_type" | "unsupported_response_type" | "missing_token" | "invalid_token" | "expired_token" | "revoked_token" | "invalid_client" | "insufficient_scope" | "not_permitted" | "merchant_payments_not_allowed" | "account_frozen" | "resource_not_found" | "method_not_allowed" | "payment_not_pending" | "idempotency_in_progress" | "payload_too_large" | "uri_too_long" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal_error" | "service_unavailable" | "outcome_unknown";
            };
        };
        /**
         * @description A payment or charge to one person.
         * @example {
         *       "user_id": "1852942305918484482",
         *       "note": "Lunch",
         *       "amount": "12.50",
         *       "audience": "private"
         *     }
         */
        NewPayment: {
            /** @description The target: a user. */
            user_id?: string | null;
            /** @description The target: an e-mail address, compared without regard to case. */
            email?: string | null;
            /** @description The target: a US phone number in any spelling, such as `415 555 0101`. */
            phone?: string | number | null;
            /** @description Counted in characters after trimming. Neither U+202A to U+202E nor U+2066 to U+2069. */
            note: string;
            /** @description A decimal, negative for a charge. Not zero, at most two fraction digits that are not zero, at most 2999.99 either way. A JSON number is judged by its text: no exponent. Nothing is rounded. */
            amount: string;
            /**
             * @description One of public, friends, private, compared without regard to case. Without it, or empty, the actor's own default, which begins as `private`.
             * @example public
             * @example friends
             * @example private
             */
            audience?: string | null;
        } & ({
            user_id: unknown;
        } | {
            email: unknown;
        } | {
            phone: unknown;
        });
        /**
         * @description What to do with a pending payment.
         * @example {
         *       "action": "approve"
         *     }
         */
        PaymentChange: {
            /**
             * @description `approve` and `deny` are for the target of a charge, `cancel` for the actor.
             * @enum {string}
             */
            action: "approve" | "deny" | "cancel";
        };
        /** @description To whom the payment went: exactly one of `user`, `email` and `phone` is set. */
        Target: {
            /**
             * @description How the actor named the target.
             * @enum {string}
             */
            type: "user" | "email" | "phone";
            /**
             * @description The address of the payee, until a user verifies it.
             * @example null
             */
            email: string | null;
            /**
             * @description The phone number of the payee, until a user verifies it.
             * @example null
             */
            phone: string | null;
            /** @description Null until a user verifies the address. */
            user: components["schemas"]["Party"] | null;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Whose token this is, and the balance */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
        };
    };
    getUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Any user. */
                user_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One user */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OneUser"];
                };
            };
        };
    };
    listFriends: {
        parameters: {
            query?: {
                /** @description Entries of a page; more than 50 counts as 50, 0 as absent. */
                limit?: number;
                /** @description Entries to leave out first. The `next` link goes on by `after` instead. */
                offset?: number;
                /** @description Only ids greater than this. */
                after?: components["schemas"]["Id"];
                /** @description Only ids less than this. */
                before?: components["schemas"]["Id"];
            };
            header?: never;
            path: {
                /** @description Any user. */
                user_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A user's friends */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FriendsPage"];
                };
            };
        };
    };
    listPayments: {
        parameters: {
            query?: {
                /** @description Only payments of this kind. */
                action?: "pay" | "charge";
                /** @description Only those made by these users. */
                actor?: components["schemas"]["Id"][];
                /** @description Only those with one of these statuses. */
                status?: ("settled" | "pending" | "failed" | "expired" | "cancelled")[];
                /** @description Entries of a page; more than 50 counts as 50, 0 as absent. */
                limit?: number;
                /** @description Only those made after this. */
                after?: string;
                /** @description Only those made before this. */
                before?: string;
                /** @description Of those made exactly at `before`, only ids less than this. Needs `before`: without it 400 `invalid_request`. The `next` link sets both when it is needed. */
                before_id?: components["schemas"]["Id"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user's payments and charges */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentsPage"];
                };
            };
        };
    };
    createPayment: {
        parameters: {
            query?: never;
            header?: {
                /** @description A request is executed once per key: a repeat within 24 hours gets the first response. A different request with the same key is refused. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["NewPayment"];
            };
        };
        responses: {
            /** @description Pay or charge a user */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedPayment"];
                };
            };
        };
    };
    getPayment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A payment of which the user is a party, or the refund of one. */
                payment: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One payment or charge */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OnePayment"];
                };
            };
        };
    };
    changePayment: {
        parameters: {
            query?: never;
            header?: {
                /** @description A request is executed once per key: a repeat within 24 hours gets the first response. A different request with the same key is refused. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description A payment of which the user is a party, or the refund of one. */
                payment: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PaymentChange"];
            };
        };
        responses: {
            /** @description Approve, deny or cancel a pending payment */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedPayment"];
                };
            };
        };
    };
    getTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description The app, unless the header says it. */
                    client_id?: string;
                    /** @description Its secret, unless the header says it or it has none. Never in the URL. */
                    client_secret?: string;
                    /**
                     * @description May be left out.
                     * @enum {string}
                     */
                    grant_type?: "authorization_code" | "refresh_token";
                    /** @description From the redirect, at most 60 seconds old. There is one try. */
                    code?: string;
                    /** @description The address that the code was sent to; `code`, `state` and `iss` after it are cut off. May be left out. */
                    redirect_uri?: string;
                    /** @description What `code_challenge` was made from. */
                    code_verifier?: string;
                    /** @description The newest of this authorization. It works once, and again for 10 seconds: the answer brings the next. */
                    refresh_token?: string;
                    /** @description With a refresh token, for an access token of fewer scopes. */
                    scope?: string;
                } & (unknown | unknown);
            };
        };
        responses: {
            /** @description Tokens for a code, or for a refresh token */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description For calls, 60 days. */
                        access_token: string;
                        /**
                         * @description Its life in seconds.
                         * @example 5184000
                         */
                        expires_in: number;
                        /**
                         * @description How to send it.
                         * @constant
                         */
                        token_type: "bearer";
                        /**
                         * @description The granted scopes, separated by spaces.
                         * @example make_payments access_profile
                         */
                        scope: string;
                        /** @description For the next access token: it works once, and for 120 days. */
                        refresh_token: string;
                        user: components["schemas"]["User"];
                        /**
                         * @description Null when the token lacks `access_balance`. Negative after a chargeback.
                         * @example 100
                         * @example null
                         */
                        balance: string | null;
                    };
                };
            };
        };
    };
    revoke: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description The app, unless the header says it. */
                    client_id?: string;
                    /** @description Its secret, unless the header says it or it has none. Never in the URL. */
                    client_secret?: string;
                    /** @description An access token or a refresh token of the app. */
                    token: string;
                    /** @description Not needed. */
                    token_type_hint?: string;
                };
            };
        };
        responses: {
            /** @description Revoke a token (RFC 7009) */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
        };
    };
    authorizationServer: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Where everything is (RFC 8414) */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: uri
                         * @description `iss` of every authorization answer.
                         */
                        issuer: string;
                        /**
                         * Format: uri
                         * @description Where to send users.
                         */
                        authorization_endpoint: string;
                        /**
                         * Format: uri
                         * @description Where to get tokens.
                         */
                        token_endpoint: string;
                        /**
                         * Format: uri
                         * @description Where to give them back.
                         */
                        revocation_endpoint: string;
                        /**
                         * Format: uri
                         * @description This reference.
                         */
                        service_documentation: string;
                        /** @description All scopes. */
                        scopes_supported: string[];
                        /** @description What may be asked for. */
                        response_types_supported: string[];
                        /** @description Where it stands in the redirect. */
                        response_modes_supported: string[];
                        /** @description What tokens are given for. */
                        grant_types_supported: string[];
                        /** @description Methods of PKCE. */
                        code_challenge_methods_supported: string[];
                        /** @description How an app may say who it is. */
                        token_endpoint_auth_methods_supported: string[];
                        /** @description The same. */
                        revocation_endpoint_auth_methods_supported: string[];
                        /** @description `iss` is always there. */
                        authorization_response_iss_parameter_supported: boolean;
                    };
                };
            };
        };
    };
}

/** The fields of responses that are amounts of money: JSON numbers of the API, decimal strings of the client. */
export const AMOUNT_FIELDS: ReadonlySet<string> = new Set(['amount', 'balance', 'fee']);
