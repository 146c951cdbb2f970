import { parseSync } from 'oxc-parser';

/** A node of a syntax tree as ESTree has it. Offsets count UTF-16 units. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

export interface Comment {
  readonly type: 'Line' | 'Block';
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/**
 * The syntax tree of a TypeScript file, and its comments.
 *
 * @throws SyntaxError
 */
export const parseSource = (
  file: string,
  text: string,
): { readonly program: SyntaxNode; readonly comments: readonly Comment[] } => {
  const { program, comments, errors } = parseSync(file, text, { astType: 'ts' });
  const [error] = errors;
  if (error !== undefined) throw new SyntaxError(`${file}: ${error.message}`);
  return { program: program as unknown as SyntaxNode, comments };
};

export const isSyntaxNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && typeof (value as SyntaxNode).type === 'string';
