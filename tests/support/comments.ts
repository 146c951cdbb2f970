import { parse } from '@babel/parser';
import { TextRange, TSDocParser } from '@microsoft/tsdoc';
import type { Sources } from './import-graph.ts';

interface Comment {
  readonly type: string;
  readonly value: string;
  readonly start: number;
  readonly end: number;
  readonly loc: { readonly start: { readonly line: number } };
}

interface SyntaxNode {
  readonly type: string;
  readonly leadingComments?: readonly Comment[];
  readonly [key: string]: unknown;
}

/** Words of a story. A comment says what a thing is, then why. */
const storyWords = /\b(?:somebody|nobody|whoever|who|tells|told|hears|came to)\b/i;

const docParser = new TSDocParser();

/** Faults of the comments in some files, each as `file:line: text`. */
export const findCommentFaults = (sources: Sources): string[] =>
  Object.entries(sources).flatMap(([file, text]) =>
    checkFile(file, text).map(({ line, fault }) => `${file}:${line}: ${fault}`),
  );

interface Fault {
  readonly line: number;
  readonly fault: string;
}

const checkFile = (file: string, text: string): Fault[] => {
  const tree = parse(text, {
    sourceType: 'module',
    plugins: file.endsWith('.tsx') ? ['typescript', 'jsx'] : ['typescript'],
  });
  const documented = findDocumented(tree.program as unknown as SyntaxNode);
  return (tree.comments as readonly Comment[]).flatMap((comment) => {
    const isDoc = comment.type === 'CommentBlock' && comment.value.startsWith('*');
    return [
      ...checkWords(comment),
      ...(isDoc ? checkDoc(text, comment, documented.get(comment.start) ?? null) : []),
    ];
  });
};

const checkWords = ({ value, loc }: Comment): Fault[] =>
  value.split('\n').flatMap((row, index) => {
    const line = loc.start.line + index;
    const word = storyWords.exec(row)?.[0];
    return [
      ...(word === undefined ? [] : [{ line, fault: `"${word}" belongs to a story` }]),
      ...(row.includes('Rejects with') ? [{ line, fault: '"Rejects with" is @throws in TSDoc' }] : []),
    ];
  });

const checkDoc = (text: string, comment: Comment, node: SyntaxNode | null): Fault[] => {
  const { docComment, log } = docParser.parseRange(
    TextRange.fromStringRange(text, comment.start, comment.end),
  );
  const names = node === null ? [] : parameterNames(node);
  return [
    ...log.messages.map(({ textRange, messageId, unformattedText }) => ({
      line: textRange.getLocation(textRange.pos).line,
      fault: `${messageId}: ${unformattedText}`,
    })),
    ...docComment.params.blocks
      .filter(({ parameterName }) => !names.includes(parameterName))
      .map(({ parameterName }) => ({
        line: comment.loc.start.line,
        fault: `@param ${parameterName} is not in the signature (${names.join(', ')})`,
      })),
  ];
};

/** The syntax node that stands behind a comment, by the comment's start: the outermost one. */
const findDocumented = (program: SyntaxNode): ReadonlyMap<number, SyntaxNode> => {
  const documented = new Map<number, SyntaxNode>();
  for (const node of nodesOf(program)) {
    const comment = node.leadingComments?.at(-1);
    if (comment !== undefined && !documented.has(comment.start)) documented.set(comment.start, node);
  }
  return documented;
};

/** A node and all within it, breadth first. */
function* nodesOf(root: SyntaxNode): Generator<SyntaxNode> {
  const queue = [root];
  for (const node of queue) {
    yield node;
    for (const key in node) {
      const value = node[key];
      if (typeof value !== 'object' || key.endsWith('Comments')) continue;
      if (isSyntaxNode(value)) queue.push(value);
      else if (Array.isArray(value)) queue.push(...value.filter(isSyntaxNode));
    }
  }
}

const isSyntaxNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && typeof (value as SyntaxNode).type === 'string';

/** Parameters of the first function in a declaration; of a destructured one the names that it takes. */
const parameterNames = (declaration: SyntaxNode): string[] => {
  for (const { params, parameters } of nodesOf(declaration)) {
    const list = params ?? parameters;
    if (Array.isArray(list)) return list.flatMap(namesOf);
  }
  return [];
};

const namesOf = (parameter: SyntaxNode): string[] => {
  switch (parameter.type) {
    case 'Identifier':
      return [String(parameter.name)];
    case 'ObjectPattern':
      return (parameter.properties as SyntaxNode[]).flatMap(({ key, argument }) =>
        namesOf((key ?? argument) as SyntaxNode),
      );
    case 'AssignmentPattern':
      return namesOf(parameter.left as SyntaxNode);
    case 'RestElement':
      return namesOf(parameter.argument as SyntaxNode);
    case 'TSParameterProperty':
      return namesOf(parameter.parameter as SyntaxNode);
    default:
      return [];
  }
};
