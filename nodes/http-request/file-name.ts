import type { OutboundResponse } from '@hookloom/plugin-kit';

const EXTENDED = /;\s*filename\*\s*=\s*utf-8'[\w-]*'([^\s;"]+)/i;
const PLAIN = /;\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/i;

/** The name of a downloaded file: of `Content-Disposition` (RFC 6266), else the last part of the URL's path. */
export const findFileName = ({ headers, url }: Pick<OutboundResponse, 'headers' | 'url'>): string => {
  const disposition = headers['content-disposition'] ?? '';
  const [, extended = ''] = EXTENDED.exec(disposition) ?? [];
  const [, quoted, plain = ''] = PLAIN.exec(disposition) ?? [];
  const given = decode(extended) || (quoted?.replaceAll(/\\(.)/g, '$1') ?? plain);
  return given || decode(new URL(url).pathname.split('/').at(-1) ?? '');
};

/** @returns the text itself when it is not percent-encoded UTF-8 */
const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};
