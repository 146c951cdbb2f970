import type { LentCredential } from '../../../contract/lent-credential.ts';
import { AppError, isAppError } from '../../../shared/errors.ts';
import { SENDER_CREDENTIAL_TYPES } from '../../../workflows/webhook-rules/sender-credential-types.ts';
import type { FeaturePorts } from '../../webhook-feature.ts';
import { oncePer } from './once-per.ts';

/** The live secrets of a sender: two during a rotation. */
interface LiveSecrets {
  readonly lent: LentCredential;
  readonly secrets: readonly string[];
}

interface SenderSecrets {
  /**
   * Whether one of the live secrets is right. When none is, the credential is read again, unless that was done for it within
   * {@link MIN_INTERVAL_MS}: a flood of wrong requests reads it once in that time.
   *
   * @throws AppError `WEBHOOK_MISCONFIGURED` | `STORE_UNAVAILABLE` | `SECRETS_UNAVAILABLE`
   */
  some(credentialId: string, isRight: (secret: string) => boolean | Promise<boolean>): Promise<boolean>;
  /** The current secret. @throws AppError likewise */
  current(credentialId: string): Promise<string>;
}

const MIN_INTERVAL_MS = 5_000;
const MAX_CREDENTIALS = 1_000;

const createSenderSecrets = ({ credentials, clock }: FeaturePorts): SenderSecrets => {
  const readAgainAt = new Map<string, number>();

  const read = async (id: string, rejected: LentCredential | null): Promise<LiveSecrets> => {
    const loan = await credentials.open();
    const lent = await loan.lend(id, SENDER_CREDENTIAL_TYPES, rejected).catch(refuse);
    const secrets = ['secret', 'previous'].map((name) => lent.field(name)).filter((secret) => secret !== '');
    return { lent, secrets };
  };

  const mayReadAgain = (id: string): boolean => {
    const now = clock.now();
    const last = readAgainAt.get(id);
    if (last !== undefined && last <= now && now < last + MIN_INTERVAL_MS) return false; // a clock can be set back
    if (readAgainAt.size >= MAX_CREDENTIALS) readAgainAt.clear();
    readAgainAt.set(id, now);
    return true;
  };

  return {
    some: async (id, isRight) => {
      const { lent, secrets } = await read(id, null);
      for (const secret of secrets) if (await isRight(secret)) return true;
      if (!mayReadAgain(id)) return false;
      const latest = await read(id, lent);
      for (const secret of latest.secrets)
        if (!secrets.includes(secret) && (await isRight(secret))) return true;
      return false;
    },
    current: async (id) => (await read(id, null)).secrets[0] ?? refuse(new Error(`"${id}" has no secret`)),
  };
};

/** A credential that can't be read refuses the request: 503, so that the sender tries again. */
const refuse = (error: unknown): never => {
  const { cause } = error as Error;
  throw isAppError(cause) ? cause : new AppError('WEBHOOK_MISCONFIGURED', {}, error);
};

/** One for all webhooks of a sandbox, so that what it remembers outlives a version of a workflow. */
export const senderSecrets = oncePer(createSenderSecrets);
