import { redactText } from '../../shared/secrets/redact-text.ts';
import type { Notice } from './notice.ts';

/** What is known of a failed execution. */
interface FailedExecution {
  readonly executionId: string;
  readonly workflowId: string;
  readonly endedAt: number;
  readonly failure: { readonly nodeId: string; readonly name: string; readonly message: string } | null;
}

/** Characters of an error's message that are looked at, before anything is searched in them. */
const MAX_READ = 1_000;

/** The notice of a failed execution: failures of a node with the same error have the same cause. */
export const toFailureNotice = ({ executionId, workflowId, endedAt, failure }: FailedExecution): Notice => {
  const { nodeId = '', name = 'Error', message = '' } = failure ?? {};
  const read = toLine(redactText(message, MAX_READ));
  return {
    kind: 'failure',
    subject: `workflow:${workflowId}`,
    cause: [nodeId, name, withoutVarying(read)].filter((part) => part !== '').join(' '),
    message: read === '' ? name : `${name}: ${read}`,
    at: endedAt,
    executionId,
    ...(nodeId === '' ? {} : { nodeId }),
  };
};

/** Without line breaks and other control characters, which must not end a header or a line of a message. */
const toLine = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, ' ').trim();

/** A status, which distinguishes causes, unlike other numbers: `answered 404`. */
const STATUS = /^[1-5]\d\d\b/;
const BEFORE_STATUS: ReadonlySet<string> = new Set(['answered', 'status', 'code', 'HTTP']);

/**
 * Removes from a message what varies from one failure to the next: quoted texts, queries of URLs, addresses of mail, and
 * words with digits, such as ids, numbers and times. Statuses of answers remain.
 */
const withoutVarying = (message: string): string =>
  message
    .replace(/"[^"]*"|`[^`]*`|“[^”]*”|(?<!\w)'[^']*'(?!\w)/g, '…')
    .split(' ')
    .map((word, at, words) => (isStatus(word, words[at - 1]) ? word : blankVarying(word)))
    .join(' ');

const isStatus = (word: string, before = ''): boolean => STATUS.test(word) && BEFORE_STATUS.has(before);

const blankVarying = (word: string): string => {
  if (word.includes('@')) return '…';
  const plain = /^https?:/.test(word) ? (word.split(/[?#]/, 1)[0] ?? '') : word;
  return plain.replace(/[\w-]+/g, (part) => (/\d/.test(part) ? '…' : part));
};
