import { CommanderError } from 'commander';
import { findDenial } from '../../lib/adapters/aws/aws-error.ts';
import { isInstalled } from './local/project-folder.ts';

/** 0: done. 1: refused, not found or failed. 2: invalid command line, or a check could not be made. */
export const EXIT = { done: 0, failed: 1, usage: 2, unknown: 2 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A failure reported only by its message, without a stack. */
export class CommandError extends Error {
  readonly exitCode: ExitCode;
  /** Whether the message points to the help. */
  readonly isUsage: boolean;
  constructor(message: string, exitCode: ExitCode = EXIT.failed, isUsage = exitCode === EXIT.usage) {
    super(message);
    this.exitCode = exitCode;
    this.isUsage = isUsage;
  }
}

export const usageError = (message: string): CommandError => new CommandError(message, EXIT.usage);

/** The deployed stage that a command targets. */
export interface StageOptions {
  readonly stage?: string | undefined;
  readonly region?: string | undefined;
  readonly profile?: string | undefined;
}

/**
 * Explains what AWS refused and how to fix it: a permission, credentials, a missing stage. Only for operators: functions
 * don't reveal this to their callers.
 *
 * @param error - the error of a command; AWS's own error is this or one of its causes
 * @param env - of the command line: the region's variable
 * @returns null for anything else
 */
export const explainAwsError = (
  error: unknown,
  { stage, region, profile }: StageOptions,
  env: Readonly<Record<string, string | undefined>>,
): CommandError | null => {
  if (stage === undefined || error instanceof CommandError || error instanceof CommanderError) return null;
  const place = region ?? env.AWS_REGION ?? env.AWS_DEFAULT_REGION;
  for (let cause = error, depth = 0; cause instanceof Error && depth < MAX_CAUSES; depth++) {
    // Without the SDK, AWS's error name is in the message: `AWS answered 403 AccessDeniedException …`
    const text = `${cause.name}: ${cause.message}`.slice(0, MAX_TEXT);
    const found = AWS_ERRORS.find(({ pattern }) => pattern.test(text));
    if (found !== undefined)
      return new CommandError(
        found.explain({ text, stage, place: place ?? 'its region', profile }),
        found.exitCode,
        false,
      );
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
  readonly profile: string | undefined;
}

const AWS_ERRORS: readonly {
  readonly pattern: RegExp;
  readonly explain: (refusal: AwsRefusal) => string;
  readonly exitCode?: ExitCode;
}[] = [
  {
    pattern: /\bCredentialsProviderError\b|Could not load credentials/,
    exitCode: EXIT.usage,
    explain: ({ profile }) =>
      profile === undefined
        ? 'No AWS credentials were found. Log in (aws sso login), or set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.'
        : `No AWS credentials were found in the profile ${profile}. Check its name (aws configure list-profiles), or log in: aws sso login --profile ${profile}`,
  },
  {
    pattern:
      /\bExpiredToken(?:Exception)?\b|\bRequestExpired\b|token (?:included in the request )?is expired/,
    explain: () => 'The AWS credentials have expired. Log in again, or renew them.',
  },
  {
    pattern: /Signature (?:expired|not yet current)|\bRequestTimeTooSkewed\b/,
    explain: () => "AWS rejected the signature's time: set this machine's clock.",
  },
  {
    pattern:
      /\b(?:UnrecognizedClient|InvalidClientTokenId|InvalidSignature|IncompleteSignature|MissingAuthenticationToken|InvalidAccessKeyId|SignatureDoesNotMatch)/,
    explain: ({ place }) =>
      `AWS does not recognise these credentials in ${place}. Check AWS_PROFILE, or AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN: a role's keys need all three.`,
  },
  {
    pattern: /\bAccessDenied(?:Exception)?\b|is not authorized to perform/,
    explain: ({ text, stage }) =>
      `${describeDenial(text)}\nAsk for this permission; docs/deploying.md has the policies for each task in a stage such as ${stage}.`,
  },
  {
    pattern: /Requested resource not found|non-existent table|AWS answered 404 ResourceNotFoundException/,
    explain: ({ stage, place }) =>
      `There is no stage "${stage}" in ${place}, or part of it is missing. Check --stage and --region; ${isInstalled() ? 'npx hookloom stage deploy' : 'npx serverless deploy --stage'} ${stage} --region ${place} creates it.`,
  },
  {
    pattern: /\bENOTFOUND\b/,
    explain: ({ place }) => `AWS can't be reached in ${place}. Check --region and this machine's network.`,
  },
];

const describeDenial = (text: string): string => {
  const { user, action, resource, reason } = findDenial(text) ?? {};
  if (typeof user !== 'string') return `AWS denies this: ${text}`;
  return `AWS denies ${action}${resource === null ? '' : ` on ${resource}`} to ${user}${reason === null ? '' : `, ${reason}`}.`;
};
