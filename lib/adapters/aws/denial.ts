/** What IAM has refused, by the sentence of AWS. */
interface Denial {
  /** Such as `dynamodb:GetItem`. */
  readonly action: string;
  /** An ARN; null where AWS names none. */
  readonly resource: string | null;
}

/** Also in a line of a log, in which quotes are escaped, and in XML. */
const SENTENCE =
  /not authorized to perform: ([\w:-]{1,100})(?: on resource: (?:\\?"|&quot;)?([^\s"\\<&]{1,500}))?/;

/** Finds the first refusal of IAM in a text. https://docs.aws.amazon.com/IAM/latest/UserGuide/troubleshoot_access-denied.html */
export const findDenial = (text: string): Denial | null => {
  const [, action, resource = null] = SENTENCE.exec(text) ?? [];
  return action === undefined ? null : { action, resource };
};
