declare module 'busboy/lib/utils.js' {
  /** A parsed header of a body or a part, as busboy reads it; undefined if it can't. */
  interface HeaderValue {
    /** The media type in lower case. */
    readonly type: string;
    readonly params: Readonly<Record<string, string>>;
  }

  type Decode = (text: string, hint: number) => string | undefined;

  export const getDecoder: (charset: string) => Decode;
  export const parseContentType: (text: string) => HeaderValue | undefined;
  export const parseDisposition: (text: string, decode: Decode) => HeaderValue | undefined;
}
