/** An error within the sandbox. */
interface Thrown {
  /** `TypeError: x is not a function`. */
  readonly message: string;
  /** `line 2, column 5`; null for an error without a place in the code. */
  readonly place: string | null;
}

/** The code throws, has a syntax error, or has no JSON object as its result. */
export class CodeError extends Error {
  override readonly name = 'CodeError';
  constructor({ message, place }: Thrown) {
    super(place === null ? message : `${message} (${place})`);
  }
}

/** The code needs more than the sandbox allows. */
export class CodeLimitError extends Error {
  override readonly name = 'CodeLimitError';
}

/** The first place in a stack trace that is in the code, by the name that the interpreter gives it. */
const PLACE = /<input>:(\d{1,9}):(\d{1,9})/;

/** Lines above the code: two by the constructor of functions, one by the program in the sandbox. */
const LINES_ABOVE = 3;

interface ReadThrown extends Thrown {
  readonly isOutOfMemory: boolean;
  readonly isNull: boolean;
}

/**
 * Reads the explanation of an error by the program in the sandbox.
 *
 * @param lines - of the code
 */
export const readThrown = (json: string, lines: number): ReadThrown => {
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
