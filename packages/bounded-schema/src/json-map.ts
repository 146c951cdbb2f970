/** A JSON object. */
export type JsonMap = Readonly<Record<string, unknown>>;
