/** What goes back to a caller, free of the gateway that it goes through. */
export interface Answer {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Null when there is none. */
  readonly body: string | null;
  /** The execution that it is about, for the log. */
  readonly executionId?: string;
}

/** Not cached anywhere: it says what is true now. */
export const answerJson = (status: number, value: unknown): Answer => ({
  status,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  body: JSON.stringify(value),
});
