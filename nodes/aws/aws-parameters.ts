import type { JsonObject } from '@hookloom/plugin-kit';

/** What bytes in an output become. */
export type BytesAs = 'auto' | 'file' | 'text' | 'json' | 'base64';

/** See the descriptions of the node's parameters. */
export interface AwsParameters {
  readonly service: string;
  readonly operation: string;
  readonly input: JsonObject;
  readonly region?: string | undefined;
  readonly bytesAs: BytesAs;
  readonly fileName?: string | undefined;
  readonly maxFileBytes: number;
  readonly maxOutputBytes: number;
}
