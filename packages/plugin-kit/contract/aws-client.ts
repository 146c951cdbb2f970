import type { LentCredential } from './lent-credential.ts';

/** A call of an AWS service, named and shaped as in the AWS SDK for JavaScript. */
export interface AwsCall {
  /** The SDK's client package without its prefix: `dynamodb`, `s3`, `sesv2`, `bedrock-runtime`, `rds-data`. */
  readonly service: string;
  /** The operation, such as `PutItem`, or as Step Functions spells it, `putItem`. */
  readonly operation: string;
  /** The SDK's input. Where the operation takes bytes, they are a Uint8Array, a string or a Node stream. */
  readonly input: Readonly<Record<string, unknown>>;
  /** The region of the service itself by default. */
  readonly region?: string | undefined;
}

/** One attempt at a call. All limits are required, so that no caller can forget them. */
export interface AwsOperation extends AwsCall {
  /** Time limit for the whole exchange, up to the last byte of a stream in the output. */
  readonly timeoutMs: number;
  /** Maximum size of the output, not counting a stream in it. */
  readonly maxOutputBytes: number;
  readonly signal: AbortSignal;
  /**
   * A credential of the type `awsRole`, whose role makes the call. By default the service's role for workflows makes
   * it.
   */
  readonly credential?: LentCredential | undefined;
}

/** Calls AWS with the SDK that is part of Lambda's runtime. */
export interface AwsClient {
  /**
   * Makes one attempt: retries are the node's `settings.retry`.
   * @returns the SDK's output without `$metadata`. It may contain dates, bytes and streams, so it is not JSON
   * @throws NodeError with the name of AWS's error, `isRetryable`, and `status`, `requestId` and `code` in its details.
   * If a permission is missing, it includes the IAM statement to add
   */
  send(operation: AwsOperation): Promise<Readonly<Record<string, unknown>>>;
}
