/** What IAM denied, parsed from AWS's error message. */
interface Denial {
  /** AWS's sentence, from the user, or from the action if no user is named, up to the reason. */
  readonly sentence: string;
  readonly user: string | null;
  /** Such as `dynamodb:GetItem`. */
  readonly action: string;
  /** An ARN; null if AWS names none. */
  readonly resource: string | null;
  /** `because …` or `with an explicit deny …`. */
  readonly reason: string | null;
}

/** Also matches in JSON, in log lines with escaped quotes, and in XML. */
const SENTENCE =
  /(?:User: (\S{1,300}) is )?not authorized to perform: ([\w:*-]{1,100})(?: on resource: (?:\\?"|&quot;)?([^\s"\\<&}]{1,500})(?:\\?"|&quot;)?)?(?: ((?:because|with) [^"\\<}]{1,300}))?/;

/**
 * Adds IAM's refusal to the message of an error that it caused; returns any other error unchanged. For Lambda, which
 * keeps only the message of an invocation's error and shows it only to callers of its API.
 */
export const withDenial = (error: unknown): unknown => {
  const { message, cause } = error instanceof Error ? error : { message: '', cause: null };
  const denial = cause instanceof Error ? findDenial(cause.message) : null;
  return denial === null ? error : new Error(`${message} ${denial.sentence}`, { cause });
};

/** Finds the first refusal of IAM in a text. https://docs.aws.amazon.com/IAM/latest/UserGuide/troubleshoot_access-denied.html */
export const findDenial = (text: string): Denial | null => {
  const [sentence, user = null, action, resource = null, reason = null] = SENTENCE.exec(text) ?? [];
  return sentence === undefined || action === undefined ? null : { sentence, user, action, resource, reason };
};
