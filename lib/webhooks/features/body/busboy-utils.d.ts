declare module 'busboy/lib/utils.js' {
  /** What busboy reads the headers of a body and of its parts with; undefined for what it can't read. */
  interface HeaderValue {
    /** In lower case. */
    readonly type: string;
    readonly params: Readonly<Record<string, string>>;
  }

  type Decode = (text: string, hint: number) => string | undefined;

  export const getDecoder: (charset: string) => Decode;
  export const parseContentType: (text: string) => HeaderValue | undefined;
  export const parseDisposition: (text: string, decode: Decode) => HeaderValue | undefined;
}
