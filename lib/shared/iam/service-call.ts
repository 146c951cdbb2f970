/** A call to an AWS service: `AwsCall` of the contract. */
export interface ServiceCall {
  /** The SDK's client package without its prefix. */
  readonly service: string;
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly region?: string | undefined;
}
