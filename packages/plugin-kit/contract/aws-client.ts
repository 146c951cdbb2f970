import type { LentCredential } from './lent-credential.ts';

/** A call of an AWS service, named and shaped as in the AWS SDK for JavaScript. */
export interface AwsCall {
  /** The SDK's client package without its prefix: `dynamodb`, `s3`, `sesv2`, `bedrock-runtime`, `rds-data`. */
  readonly service: string;
  /** `PutItem`, or as Step Functions spells it, `putItem`. */
  readonly operation: string;
  /** The SDK's input: bytes are a Uint8Array, a text or a Node stream, where the operation takes them. */
  readonly input: Readonly<Record<string, unknown>>;
  /** The region of the service itself when absent. */
  readonly region?: string | undefined;
}

/** One attempt at a call. All limits are required, so that no caller can forget them. */
export interface AwsOperation extends AwsCall {
  /** Of the whole exchange, to the last byte of a stream in the output. */
  readonly timeoutMs: number;
  /** Of an output, without a stream in it. */
  readonly maxOutputBytes: number;
  readonly signal: AbortSignal;
  /** Of the type `awsRole`: the call is made as that role, else as the one that the service has for workflows. */
  readonly credential?: LentCredential | undefined;
}

/** AWS, by the SDK that Lambda's runtime brings. */
export interface AwsClient {
  /**
   * Makes one attempt: retries are the node's `settings.retry`.
   *
   * @returns the SDK's output without `$metadata`: it may have dates, bytes and streams, and is no JSON
   * @throws NodeError with the name of AWS's error, `isRetryable`, and its `status`, `requestId` and `code` in the
   * details; for want of permission, with the IAM statement to add
   */
  send(operation: AwsOperation): Promise<Readonly<Record<string, unknown>>>;
}
