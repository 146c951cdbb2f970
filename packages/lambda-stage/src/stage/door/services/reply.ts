/** A response of one of the door's own services. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

export const toJson = (status: number, value: object): Reply => ({
  status,
  headers: { 'content-type': 'application/x-amz-json-1.1' },
  body: JSON.stringify(value),
});

/** Makes an error response of the JSON protocols. */
export const toJsonError = (type: string, message: string, status = 400): Reply =>
  toJson(status, { __type: type, message });

export const toXml = (status: number, body: string): Reply => ({
  status,
  headers: { 'content-type': 'application/xml' },
  body: `<?xml version="1.0" encoding="UTF-8"?>\n${body}`,
});

export const escapeXml = (text: string): string =>
  text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);

/** An error of the query protocol, which STS uses. */
export const toQueryError = (status: number, code: string, message: string): Reply =>
  toXml(
    status,
    `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${escapeXml(message)}</Message></Error><RequestId>stage</RequestId></ErrorResponse>`,
  );
