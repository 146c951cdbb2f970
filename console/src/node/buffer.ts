/** What trials use of Node's global `Buffer`, whose place it takes in the page. */
export const Buffer = {
  /** The size of a text in UTF-8, in bytes. */
  byteLength: (text: string): number => new TextEncoder().encode(text).length,
};
