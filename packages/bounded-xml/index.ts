/** Converts XML to JSON with bounded work. See the README. */
export { decodeXml } from './src/decode-xml.ts';
export { parseXml } from './src/parse-xml.ts';
