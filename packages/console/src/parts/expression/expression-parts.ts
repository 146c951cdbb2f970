import { splitTemplate } from '../../../../../lib/workflows/expressions/template.ts';

/** A parameter with expressions in `{{ }}`, or an expression alone, as in `onlyIf` of a webhook. */
export type Syntax = 'template' | 'jsonata';

/** An expression in a text. */
export interface Part {
  /** Offset of its first character, in UTF-16 units. */
  readonly from: number;
  /** Without blanks around it. */
  readonly text: string;
}

const trimPart = (text: string, offset: number): Part => {
  const start = text.trimStart();
  return { from: offset + text.length - start.length, text: start.trimEnd() };
};

/** The expressions of a text, in order. */
export const findExpressions = (text: string, syntax: Syntax): readonly Part[] =>
  syntax === 'jsonata'
    ? [trimPart(text, 0)]
    : splitTemplate(text).flatMap((part) => ('text' in part ? [] : [trimPart(part.expression, part.offset)]));

/**
 * The start of the expression that a position is in; null outside of expressions. One whose braces are still open
 * reaches to the end of the text.
 */
export const findStart = (text: string, position: number, syntax: Syntax): number | null => {
  if (syntax === 'jsonata') return 0;
  let offset = 0;
  for (const part of splitTemplate(text)) {
    const length = 'text' in part ? part.text.length : part.expression.length + 4;
    const end = offset + length;
    if ('text' in part) {
      const open = part.text.indexOf('{{');
      if (open !== -1 && position >= offset + open + 2 && position <= end) return offset + open + 2;
    } else if (position >= part.offset && position <= part.offset + part.expression.length)
      return part.offset;
    offset = end;
  }
  return null;
};

/** Whether a text has something to evaluate; braces that are not closed yet count. */
export const hasExpression = (value: unknown): value is string =>
  typeof value === 'string' && value.includes('{{');
