const DAY_MS = 86_400_000;

/** How long before its end something is reported. */
const BEFORE_MS = 7 * DAY_MS;

/** A credential or a variable whose value expires. */
export interface Expiring {
  readonly kind: 'credential' | 'variable';
  /** Id of the credential, or name of the variable. */
  readonly id: string;
  /** ISO 8601, UTC. */
  readonly expiresAt: string;
  /** Set if it is the refresh token of a credential that expires. */
  readonly isToken?: true;
}

/** Something that expires within a week, or has expired. */
export interface Expiry extends Expiring {
  /** `soon` from a week before, `day` from the beginning of its last day, UTC. Each is a notice. */
  readonly stage: 'soon' | 'day';
  readonly message: string;
}

/** How a new value is given to each kind. */
const RENEWAL = {
  credential: (id: string) => `Give it a new value: hookloom credential rotate ${id} --expires DATE.`,
  variable: (id: string) => `Give it a new value: hookloom variable set ${id} VALUE --expires DATE.`,
  token: (id: string) =>
    `Sign in again: hookloom credential connect ${id} (or rotate it, if its refresh token was typed in).`,
} as const;

/** What expires within a week or has expired, the earliest first. */
export const findExpiries = (all: readonly Expiring[], now: number): readonly Expiry[] =>
  all
    .filter(({ expiresAt }) => Date.parse(expiresAt) - BEFORE_MS <= now)
    .toSorted((a, b) => (a.expiresAt < b.expiresAt ? -1 : 1))
    .map((one) => {
      const end = Date.parse(one.expiresAt);
      const stage = now < Math.floor(end / DAY_MS) * DAY_MS ? 'soon' : 'day';
      return { ...one, stage, message: toSentence(one, end <= now ? 'has expired on' : 'expires on') };
    });

const toSentence = ({ kind, id, expiresAt, isToken }: Expiring, verb: string): string => {
  const subject = isToken ? 'refresh token of the credential' : kind;
  const renewal = RENEWAL[isToken ? 'token' : kind](id);
  return `The ${subject} "${id}" ${verb} ${expiresAt.replace(/T00:00:00\.000Z$/, '')}. ${renewal}`;
};

/** The notices about an expiry: the one of the week before remains on its last day. */
export const noticesOf = ({ kind, id, expiresAt, stage, message }: Expiry) =>
  (stage === 'soon' ? (['soon'] as const) : (['soon', 'day'] as const)).map((cause) => ({
    kind: 'expiry' as const,
    subject: `${kind}:${id}`,
    cause: `${cause}:${expiresAt}`,
    message,
  }));
