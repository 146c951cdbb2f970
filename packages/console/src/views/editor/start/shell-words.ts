import { forEachChild, parse, type SyntaxNode } from 'unbash';

export interface ShellWords {
  readonly words: readonly string[];
  /** Variables and commands that a shell would replace; the words have them as they were written. */
  readonly unresolved: readonly string[];
  /** Whether something follows the command, such as a pipe. */
  readonly hasMore: boolean;
  readonly isRedirected?: true;
  /** Whether the shell would set variables for it. */
  readonly setsVariables?: true;
}

/** What a shell would replace, without what may be a secret. */
const toExpansion = (node: SyntaxNode): string | null => {
  switch (node.type) {
    case 'SimpleExpansion':
      return node.text;
    case 'ParameterExpansion':
      return node.operation === undefined && node.index === undefined ? node.text : `\${${node.parameter}…}`;
    case 'CommandExpansion':
      return node.text.startsWith('`') ? '`' : '$(';
    case 'ArithmeticExpansion':
      return '$((';
    case 'ProcessSubstitution':
      return `${node.operator}(`;
    case 'BraceExpansion':
      return '{';
    default:
      return null;
  }
};

/**
 * Splits the first command of a text as bash does: quotes, escapes and continued lines. Nothing is replaced.
 *
 * @throws Error if a shell can't read it, such as when a quote is not closed
 */
export const splitShellWords = (text: string): ShellWords => {
  const { commands, errors = [] } = parse(text.replaceAll('\r\n', '\n'));
  const [error] = errors;
  let command: SyntaxNode | undefined = commands[0]?.command;
  let hasMore = commands.length > 1 || error !== undefined;
  while (command?.type === 'Pipeline' || command?.type === 'AndOr') {
    hasMore ||= command.commands.length > 1;
    command = command.commands[0];
  }
  if (error !== undefined && error.pos < (command?.end ?? Number.POSITIVE_INFINITY))
    throw new Error(
      error.message.startsWith('unterminated ')
        ? `The ${error.message.slice('unterminated '.length)} is not closed`
        : `A shell can't read it: ${error.message}`,
    );
  if (command?.type !== 'Command') return { words: [], unresolved: [], hasMore: false };
  const unresolved = new Set<string>();
  const collect = (node: SyntaxNode): void => {
    const found = toExpansion(node);
    if (found === null) forEachChild(node, collect);
    else unresolved.add(found);
  };
  const written = [...(command.name === undefined ? [] : [command.name]), ...command.args];
  for (const word of written) collect(word);
  return {
    words: written.map((word) => (word.type === 'Word' ? word.value : word.text)),
    unresolved: [...unresolved],
    hasMore,
    ...(command.redirects.length === 0 ? {} : { isRedirected: true }),
    ...(command.prefix.some(({ type }) => type === 'Assignment') ? { setsVariables: true } : {}),
  };
};
