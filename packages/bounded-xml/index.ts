/** XML to JSON with a bound on its work. See the README. */
export { decodeXml } from './src/decode-xml.ts';
export { parseXml } from './src/parse-xml.ts';
