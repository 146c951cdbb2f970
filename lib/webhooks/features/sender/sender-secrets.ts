import type { LentCredential } from '@hookloom/plugin-kit';
import { LruMap } from '../../../shared/cache.ts';
import { WEBHOOK_MISCONFIGURED } from '../../../shared/error-catalogue.ts';
import { AppError, isAppError } from '../../../shared/errors.ts';
import { SENDER_CREDENTIAL_TYPES } from '../../../workflows/definition/credential-uses.ts';
import { type FeaturePorts, oncePer } from '../../webhook-feature.ts';

const MIN_INTERVAL_MS = 5_000;
/** Time allowed for a throttling secret store. The run that follows needs the rest of the caller's time. */
const MAX_WAIT_MS = 8_000;
const MAX_CREDENTIALS = 1_000;

const createSenderSecrets = ({ credentials, clock }: FeaturePorts) => {
  /** The latest repeated read of each credential, and when it was. */
  const readings = new LruMap<
    string,
    { readonly at: number; readonly latest: Promise<LentCredential | null> }
  >(MAX_CREDENTIALS);

  const lend = async (id: string): Promise<LentCredential> => {
    const loan = await credentials.open({ maxWaitMs: MAX_WAIT_MS }).catch(refuseUnreadable);
    return loan.lend(id, SENDER_CREDENTIAL_TYPES).catch(refuseUnreadable);
  };

  /** Shared by the requests of an interval. Null if the credential has not changed. */
  const readAgain = (id: string, lent: LentCredential): Promise<LentCredential | null> => {
    const now = clock.now();
    const last = readings.get(id);
    const isRecent = last !== undefined && last.at <= now && now < last.at + MIN_INTERVAL_MS; // clocks can be set back
    if (isRecent) return last.latest;
    const latest = lent.refresh().catch(refuseUnreadable);
    readings.set(id, { at: now, latest });
    return latest;
  };

  return {
    /**
     * Whether one of the live secrets is right. If none is, the credential is read again, at most once per {@link
     * MIN_INTERVAL_MS}, even in a flood of wrong requests.
     *
     * @throws AppError `WEBHOOK_MISCONFIGURED` | `STORE_UNAVAILABLE` | `SECRETS_UNAVAILABLE`
     */
    some: async (id: string, isRight: (secret: string) => boolean | Promise<boolean>): Promise<boolean> => {
      const lent = await lend(id);
      const known = secretsOf(lent);
      for (const secret of known) if (await isRight(secret)) return true;
      const latest = await readAgain(id, lent);
      if (latest === null) return false;
      for (const secret of secretsOf(latest))
        if (!known.includes(secret) && (await isRight(secret))) return true;
      return false;
    },
    /** The current secret. @throws AppError as `some` */
    current: async (id: string): Promise<string> =>
      secretsOf(await lend(id))[0] ?? refuseUnreadable(new Error(`"${id}" has no secret`)),
  };
};

/** Returns the live secrets, the current one first: two during a rotation. */
const secretsOf = (lent: LentCredential): string[] =>
  ['secret', 'previous'].map((name) => lent.field(name)).filter((secret) => secret !== '');

/** An unreadable credential refuses the request with a 503, so that the sender retries. */
const refuseUnreadable = (error: unknown): never => {
  const { cause } = error as Error;
  throw isAppError(cause) ? cause : new AppError(WEBHOOK_MISCONFIGURED, {}, error);
};

/** Shared by all webhooks of a sandbox, so that its state outlives a workflow version. */
export const senderSecrets = oncePer(createSenderSecrets);
