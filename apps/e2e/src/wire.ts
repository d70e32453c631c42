/** The resources as in `docs/interface.md`, and their exact key sets. */
export interface WireParty {
  readonly id: string;
  readonly username: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly display_name: string;
  readonly about: string;
  readonly profile_picture_url: string;
}

export interface WireUser extends WireParty {
  readonly date_joined: string;
  readonly email: string | null;
  readonly phone: string | null;
  readonly is_friend: boolean | null;
  readonly friends_count: number;
}

export interface WireMe {
  readonly balance: number | null;
  readonly user: WireUser;
}

export interface WirePayment {
  readonly id: string;
  readonly status: string;
  readonly action: string;
  readonly amount: number;
  readonly note: string;
  readonly audience: string;
  readonly medium: string;
  readonly date_created: string;
  readonly date_completed: string | null;
  readonly actor: WireParty;
  readonly target: {
    readonly type: string;
    readonly email: string | null;
    readonly phone: string | null;
    readonly user: WireParty | null;
  };
  readonly fee: number | null;
  readonly refund: WirePayment | null;
}

export interface WireCreated {
  readonly balance: number;
  readonly payment: WirePayment;
}

const friend = ['id', 'username', 'first_name', 'last_name', 'display_name', 'about', 'profile_picture_url'];
const listed = [
  'id',
  'status',
  'action',
  'amount',
  'note',
  'audience',
  'date_created',
  'date_completed',
  'actor',
  'target',
];

export const KEYS = {
  friend,
  party: [...friend, 'date_joined'],
  user: [...friend, 'date_joined', 'email', 'phone', 'is_friend', 'friends_count'],
  me: ['balance', 'user'],
  target: ['type', 'email', 'phone', 'user'],
  listedPayment: listed,
  payment: [...listed, 'fee', 'refund', 'medium'],
  created: ['balance', 'payment'],
} as const;

export const DATETIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/;
export const ID = /^\d{18,19}$/;

/** Returns the keys of an object in a fixed order, so that two sets can be compared. */
export function keysOf(value: object): string[] {
  return Object.keys(value).sort();
}

export function sorted(keys: readonly string[]): string[] {
  return [...keys].sort();
}

/** Converts a decimal with at most two digits to whole cents; amounts are compared as cents, never as fractions. */
export function cents(amount: number): number {
  return Math.round(amount * 100);
}
