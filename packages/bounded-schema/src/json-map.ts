/** A JSON object; its values are JSON. */
export type JsonMap = Readonly<Record<string, unknown>>;
