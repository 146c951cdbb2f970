import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** The one browser that may use a door. */
export interface DoorSession {
  /** The secret in the printed address, which is exchanged once for a cookie. */
  readonly token: string;
  /** @returns the `Set-Cookie` for a browser that brings the token; null when it is wrong, or was used already */
  exchange(token: string): string | null;
  /** @param cookies - values of the request's `Cookie` headers */
  isOpenFor(cookies: readonly string[]): boolean;
}

const generate = (): string => randomBytes(32).toString('base64url');

/**
 * Exchanges a one-time token for the cookie of the only browser that a door serves. The token is invalid after its first use,
 * so a copy in a history, a log or a list of processes opens nothing.
 *
 * @param port - of the door; browsers send the cookies of one host to all of its ports
 */
export const createDoorSession = (port: number): DoorSession => {
  const token = generate();
  const cookie = `hookloom-console-${port}=${generate()}`;
  let isUsed = false;
  return {
    token,
    exchange: (given) => {
      if (isUsed || !isSameSecret(given, token)) return null;
      isUsed = true;
      return `${cookie}; Path=/; HttpOnly; SameSite=Strict`;
    },
    isOpenFor: (cookies) =>
      cookies.flatMap((header) => header.split(/; */)).some((given) => isSameSecret(given, cookie)),
  };
};

/** Compares secrets in a time that says nothing of them. */
const isSameSecret = (one: string, other: string): boolean => {
  const [first, second] = [one, other].map((text) => createHash('sha256').update(text).digest());
  return first !== undefined && second !== undefined && timingSafeEqual(first, second);
};
