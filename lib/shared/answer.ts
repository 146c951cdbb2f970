/** What the caller of a webhook gets, free of the gateway that it goes through. */
export interface WebhookAnswer {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Null when there is none. */
  readonly body: string | null;
  /** For the log: the execution that it is about. */
  readonly executionId?: string;
}
