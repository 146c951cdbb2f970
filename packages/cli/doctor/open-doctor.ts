import type { CallAws } from '../../../lib/adapters/aws/aws-caller.ts';
import { createLambdaPing, type PingAnswer } from '../../../lib/adapters/aws/lambda-ping.ts';
import { randomIds, systemClock } from '../../../lib/adapters/runtime/system-clock.ts';

/** The admin API as the doctor calls it. A call throws an error with the `code` of the problem that it got. */
export interface DoctorApi {
  call<Body>(
    method: string,
    path: string,
    request?: { readonly query?: Readonly<Record<string, string | number>>; readonly body?: unknown },
  ): Promise<Body>;
  /** All pages of a list. @param key - of the entries in the answer */
  list<Entry>(path: string, key: string, query?: Readonly<Record<string, string>>): Promise<readonly Entry[]>;
}

/** The doctor's own parts: direct access to the AWS APIs. */
export interface DoctorParts {
  /** Prefix of the names of the stage's resources: `SERVICE-STAGE`. */
  readonly prefix: string;
  /** Whether the stage is local: checks of AWS-only resources are skipped. */
  readonly isLocal: boolean;
  /** @param service - as in an endpoint's host name */
  readonly open: (service: string) => CallAws;
  readonly ping: (functionKey: string, deadlineMs: number) => Promise<PingAnswer>;
}

export const openDoctor = (parts: Omit<DoctorParts, 'ping'>): DoctorParts => ({
  ...parts,
  ping: createLambdaPing(parts.open('lambda'), {
    prefix: parts.prefix,
    nextName: randomIds.next,
    now: systemClock.now,
  }),
});
