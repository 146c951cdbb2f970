/** An error inside the sandbox. */
interface Thrown {
  /** Message with the name of the error, such as `TypeError: x is not a function`. */
  readonly message: string;
  /** Place in the code, such as `line 2, column 5`; null if the error has none. */
  readonly place: string | null;
}

/** The code threw, has a syntax error, or did not return a JSON object. */
export class CodeError extends Error {
  override readonly name = 'CodeError';
  constructor({ message, place }: Thrown) {
    super(place === null ? message : `${message} (${place})`);
  }
}

/** The code exceeded a limit of the sandbox. */
export class CodeLimitError extends Error {
  override readonly name = 'CodeLimitError';
}

/** Matches the first position in a stack trace that is in the code, by the name that the interpreter gives the code. */
const PLACE = /<input>:(\d{1,9}):(\d{1,9})/;

/** Lines that precede the code: two from the function constructor, one from the sandbox program. */
const LINES_ABOVE = 3;

/**
 * Reads an error as the sandbox program describes it.
 *
 * @param lines - the number of lines of the code
 */
export const readThrown = (json: string, lines: number) => {
  const { type, name, message, stack } = JSON.parse(json) as Record<string, string>;
  return {
    message: [name, message].filter(Boolean).join(': ') || `it throws ${type}`,
    place: findPlace(stack ?? '', lines),
    isOutOfMemory: name === 'InternalError' && message === 'out of memory',
    isNull: type === 'null',
  };
};

const findPlace = (stack: string, lines: number): string | null => {
  const [, line, column] = PLACE.exec(stack) ?? [];
  if (line === undefined) return null;
  const own = Number(line) - LINES_ABOVE;
  return own > lines ? 'at its end' : `line ${own}, column ${column}`;
};
