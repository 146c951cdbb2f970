import type { Answer } from '../../../shared/answer.ts';
import { HANDSHAKE_REFUSED } from '../../../shared/error-catalogue.ts';
import { AppError, Refusal } from '../../../shared/errors.ts';

/** Maximum length of a challenge; real ones take a few hundred characters. */
const MAX_CHALLENGE_LENGTH = 4_096;

/** Echoes the text as plain text, so that no browser renders it as a page. */
export const answerText = (body: string): Answer => ({
  status: 200,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
  body,
});

/** Checks that a challenge can be echoed. @throws AppError `HANDSHAKE_REFUSED` */
export const checkChallenge = (challenge: unknown): string => {
  if (typeof challenge !== 'string' || challenge === '') return refuse('it has no challenge');
  if (challenge.length > MAX_CHALLENGE_LENGTH) return refuse('its challenge is too long');
  return challenge;
};

/** Refuses a handshake. @param reason - for the log */
export const refuse = (reason: string): never => {
  throw new AppError(HANDSHAKE_REFUSED, {}, new Refusal(`handshake: ${reason}`));
};
