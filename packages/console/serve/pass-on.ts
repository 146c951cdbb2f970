interface PassedRequest {
  readonly method: string;
  /** The path with its query, percent-encoded. */
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | undefined;
}

/** What the API answered, whatever its status. */
export interface PassedAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array;
}

/** Sends a request to the admin API. When that fails, the promise is a rejection with a message for the reader. */
export type PassOn = (request: PassedRequest) => Promise<PassedAnswer>;
