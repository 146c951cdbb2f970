/** A piece of what is signed: literal text, or the name of a part of the request. */
type SignedPiece = { readonly text: string } | { readonly part: string };

const PLACEHOLDER = /(\{[^{}]*\})/;

/**
 * Splits a template such as `{timestamp}.{body}`. Braces stay text when they hold no name, as in `{}`.
 *
 * @returns names without their braces: `body`, `headers.x-id`
 */
export const splitSigned = (template: string): SignedPiece[] =>
  template
    .split(PLACEHOLDER)
    .filter((piece) => piece !== '')
    .map((piece) =>
      piece.length > 2 && piece.startsWith('{') && piece.endsWith('}')
        ? { part: piece.slice(1, -1) }
        : { text: piece },
    );

const PARTS: readonly string[] = ['body', 'timestamp', 'method', 'url', 'path', 'query'];

export const isPartOfRequest = (part: string): boolean =>
  PARTS.includes(part) || /^headers\.[A-Za-z0-9_-]+$/.test(part);
