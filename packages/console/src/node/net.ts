const OCTET = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const IPV4 = new RegExp(`^${OCTET}(?:\\.${OCTET}){3}$`);
const MAX_LENGTH = 64;

/** `isIP` of `node:net`, without zones: 4, 6, or 0 for what is not an address. */
export const isIP = (text: string): 0 | 4 | 6 => {
  if (text.length > MAX_LENGTH) return 0;
  if (IPV4.test(text)) return 4;
  return /^[\da-f:.]+$/i.test(text) && URL.canParse(`http://[${text}]/`) ? 6 : 0;
};
