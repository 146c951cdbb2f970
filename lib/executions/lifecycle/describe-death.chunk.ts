import { redactText } from '../../shared/secrets/redact-text.ts';

/** Characters of the reason of a dead letter that a record keeps. */
const MAX_REASON = 300;

/** Says why the process of a run failed, from the reason in a dead letter: shortened, and without what looks like a secret. */
export const describeDeath = (reason: string): string =>
  `its process failed, and so did the retries: ${redactText(reason, MAX_REASON)}`;
