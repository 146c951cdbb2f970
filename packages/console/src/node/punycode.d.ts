declare module 'punycode.js/punycode.es6.js' {
  /** A domain name with its labels in Unicode. @throws RangeError */
  export const toUnicode: (domain: string) => string;
}
