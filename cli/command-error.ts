import { CommanderError } from 'commander';
import { findDenial } from '../lib/adapters/aws/denial.ts';

/** 0: done. 1: refused, not found, or failed. 2: the command line itself is wrong, or what was asked for could not be looked at. */
export const EXIT = { done: 0, failed: 1, usage: 2, unknown: 2 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A failure that is reported by its message alone, without a stack. */
export class CommandError extends Error {
  readonly exitCode: ExitCode;
  /** The help says how it is written. */
  readonly isUsage: boolean;
  constructor(message: string, exitCode: ExitCode = EXIT.failed, isUsage = exitCode === EXIT.usage) {
    super(message);
    this.exitCode = exitCode;
    this.isUsage = isUsage;
  }
}

export const usageError = (message: string): CommandError => new CommandError(message, EXIT.usage);

/** Users that a message names; of more, how many there are. */
const MAX_NAMED = 10;

/** @param users - what would fail without it, as `orders: the node "call"` @throws CommandError when there is any */
export const refuseUsed = (id: string, users: readonly string[]): void => {
  if (users.length === 0) return;
  const others = users.length > MAX_NAMED ? [`and ${users.length - MAX_NAMED} more`] : [];
  const lines = [...users.slice(0, MAX_NAMED), ...others].map((user) => `  ${user}`);
  throw new CommandError(
    [
      `${id} is in use, and was not removed. These name it:`,
      ...lines,
      'To remove it all the same: --force',
    ].join('\n'),
  );
};

/** The deployed stage that a command was for. */
interface StageOptions {
  readonly stage?: string | undefined;
  readonly region?: string | undefined;
}

/**
 * Says what AWS refused, and what to do about it: a permission, credentials, a stage that is not there. For operators
 * alone: what a function answers to its callers names nothing of this.
 *
 * @param error - what a command failed with; AWS's own error is it or one of its causes
 * @param env - of the command line: the region's variable
 * @returns null for anything else
 */
export const explainAwsError = (
  error: unknown,
  { stage, region }: StageOptions,
  env: Readonly<Record<string, string | undefined>>,
): CommandError | null => {
  if (stage === undefined || error instanceof CommandError || error instanceof CommanderError) return null;
  const place = region ?? env.AWS_REGION ?? env.AWS_DEFAULT_REGION;
  for (let cause = error, depth = 0; cause instanceof Error && depth < MAX_CAUSES; depth++) {
    // A call without the SDK has the name that AWS gave in its text: `AWS answered 403 AccessDeniedException …`
    const text = `${cause.name}: ${cause.message}`.slice(0, MAX_TEXT);
    const found = AWS_ERRORS.find(({ pattern }) => pattern.test(text));
    if (found !== undefined)
      return new CommandError(found.explain({ text, stage, place: place ?? 'its region' }));
    cause = cause.cause;
  }
  return null;
};

const MAX_CAUSES = 5;
const MAX_TEXT = 1_000;

interface AwsRefusal {
  readonly text: string;
  readonly stage: string;
  readonly place: string;
}

const AWS_ERRORS: readonly {
  readonly pattern: RegExp;
  readonly explain: (refusal: AwsRefusal) => string;
}[] = [
  {
    pattern: /\bCredentialsProviderError\b|Could not load credentials/,
    explain: () =>
      'No AWS credentials were found. Log in (aws sso login), or set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
  },
  {
    pattern:
      /\bExpiredToken(?:Exception)?\b|\bRequestExpired\b|token (?:included in the request )?is expired/,
    explain: () => 'The AWS credentials have expired. Log in again, or renew them.',
  },
  {
    pattern: /Signature (?:expired|not yet current)|\bRequestTimeTooSkewed\b/,
    explain: () => 'AWS refused the signature for its time: set the clock of this machine.',
  },
  {
    pattern:
      /\b(?:UnrecognizedClient|InvalidClientTokenId|InvalidSignature|IncompleteSignature|MissingAuthenticationToken|InvalidAccessKeyId|SignatureDoesNotMatch)/,
    explain: ({ place }) =>
      `AWS does not know these credentials, or not in ${place}. Check AWS_PROFILE, or AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN: keys of a role need all three.`,
  },
  {
    pattern: /\bAccessDenied(?:Exception)?\b|is not authorized to perform/,
    explain: ({ text, stage }) =>
      `${describeDenial(text)}\nAsk for this permission; docs/deploying.md has the policies for what people do in a stage such as ${stage}.`,
  },
  {
    pattern: /Requested resource not found|non-existent table|AWS answered 404 ResourceNotFoundException/,
    explain: ({ stage, place }) =>
      `There is no stage "${stage}" in ${place}, or a part of it is missing. Check --stage and --region; npx serverless deploy --stage ${stage} --region ${place} makes it.`,
  },
  {
    pattern: /\bENOTFOUND\b/,
    explain: ({ place }) =>
      `AWS can't be reached in ${place}. Check --region, and the network of this machine.`,
  },
];

const describeDenial = (text: string): string => {
  const { user, action, resource, reason } = findDenial(text) ?? {};
  if (typeof user !== 'string') return `AWS denies this: ${text}`;
  return `AWS denies ${action}${resource === null ? '' : ` on ${resource}`} to ${user}${reason === null ? '' : `, ${reason}`}.`;
};
