/** Values that the message of a failed evaluation mentions. */
interface Details {
  readonly value?: unknown;
  readonly value2?: unknown;
  readonly token?: string | undefined;
  readonly index?: number;
  readonly message?: string;
}

/** JSONata's messages by code. `{name}` stands for a detail as JSON, `{{name}}` for its plain text. */
const messages: Readonly<Record<string, string>> = {
  D1001: 'Number out of range: {value}',
  D1002: 'Cannot negate a non-numeric value: {value}',
  D1004: 'Regular expression matches zero length string',
  D1009: 'Multiple key definitions evaluate to same key: {value}',
  D1011:
    'Stack overflow. Check for endless recursion, or make the recursive call the last thing that the function does',
  D1012:
    'It takes more than {value} steps. Check for endless recursion, or for work that grows with the square of the input',
  D1014: 'A value is nested more than {value} levels deep',
  D2014: 'The size of a range (..) must not exceed {value}',
  D2015: 'The maximum sequence length of {value} was exceeded',
  D3001: 'Attempting to invoke string function on Infinity or NaN',
  D3010: 'Second argument of replace function cannot be an empty string',
  D3011: 'Fourth argument of replace function must evaluate to a positive number',
  D3012: 'Attempted to replace a matched string with a non-string value',
  D3020: 'Third argument of split function must evaluate to a positive number',
  D3030: 'Unable to cast value to a number: {value}',
  D3040: 'Third argument of match function must evaluate to a positive number',
  D3050: 'The second argument of reduce function must be a function with at least two arguments',
  D3060: 'The sqrt function cannot be applied to a negative number: {value}',
  D3061: 'The power function has resulted in a value that cannot be represented as a JSON number: {value}',
  D3070:
    'The single argument form of the sort function can only be applied to an array of strings or an array of numbers. Use the second argument to specify a comparison function',
  D3080: 'The picture of {{function}}() must not have more than two parts',
  D3081: 'The picture of {{function}}() must not have more than one decimal separator',
  D3082: 'The picture of {{function}}() must not have more than one percent sign',
  D3083: 'The picture of {{function}}() must not have more than one per-mille sign',
  D3084: 'The picture of {{function}}() must not have both a percent and a per-mille sign',
  D3085: 'The picture of {{function}}() must have at least one digit, mandatory or optional',
  D3086: 'The picture of {{function}}() must not have other characters between its digits',
  D3087: 'The picture of {{function}}() must not have a grouping separator next to the decimal separator',
  D3088: 'The picture of {{function}}() must not have a grouping separator at the end of the integer part',
  D3089: 'The picture of {{function}}() must not have two adjacent grouping separators',
  D3090:
    'The picture of {{function}}() must not have an optional digit after a mandatory one in the integer part',
  D3091:
    'The picture of {{function}}() must not have a mandatory digit after an optional one in the fraction',
  D3092: 'The picture of {{function}}() must not have both an exponent and a percent or per-mille sign',
  D3093: 'The picture of {{function}}() must have only digits in its exponent',
  D3100: 'The radix of the formatBase function must be between 2 and 36. It was given {value}',
  D3110:
    'The argument of the toMillis function must be an ISO 8601 formatted timestamp of a time that exists. Given {value}',
  D3130: 'Formatting or parsing an integer as a sequence starting with {value} is not supported',
  D3131: 'In a decimal digit pattern, all digits must be from the same decimal group',
  D3132: 'Unknown component specifier {value} in date/time picture string',
  D3133:
    "The 'name' modifier can only be applied to months and days in the date/time picture string, not {value}",
  D3134: 'The timezone integer format specifier cannot have more than four digits',
  D3135: "No matching closing bracket ']' in date/time picture string",
  D3136: 'The date/time picture string is missing specifiers required to parse the timestamp',
  D3137: '{{message}}',
  D3138: 'The $single() function expected exactly 1 matching result. Instead it matched more',
  D3139: 'The $single() function expected exactly 1 matching result. Instead it matched 0',
  D3140: 'Malformed URL passed to {{function}}(): {value}',
  D3141: '{{message}}',
  D3150: 'The picture or the value of {{function}}() is too long, or asks for too many digits',
  D3151: '{value} is not a picture: its components must be in brackets{{message}}',
  D3152:
    'The time zone of {{function}}() must be a name of the IANA database, such as Europe/Oslo, or an offset such as +05:30 or Z; got {value}',
  D3153: 'The time of {{function}}() must be in the years 0 to 9999; got {value}',
  D3154: 'The argument of the toMillis function is not a date and time that exists: {value}',
  D3155: 'The offset of the time zone {value} has seconds at that time, which [Z] cannot write',
  D3156: 'The argument of {{function}}() {{message}}',
  D3157:
    '{value} has months and minutes mixed up: [M] is the month, [m] the minute; did you mean {{message}}?',
  D3160: 'The argument of the parse function is not JSON: {{message}}',
  D3161: 'The arguments of the range function must be integers, got {value}',
  D3162: 'The step of the range function must not be 0',
  D3163: 'The size of the partition function must be an integer of at least 1, got {value}',
  D3164:
    'The algorithm of the hash function must be one of MD5, SHA-1, SHA-256, SHA-384, SHA-512, got {value}',
  D3165: '$uuid() is not available before the execution starts',
  D3201: 'its result is a function, which is not JSON',
  D3202: 'its result is {value}, which is not JSON',
  T0410: 'Argument {index} of function {token} does not match function signature',
  T0411: 'Context value is not a compatible type with argument {index} of function {token}',
  T0412: 'Argument {index} of function {token} must be an array of {value2}',
  T1003: 'Key in object structure must evaluate to a string; got: {value}',
  T1005: 'Attempted to invoke a non-function. Did you mean {{function}}?',
  T1006: 'Attempted to invoke a non-function',
  T1007: 'Attempted to partially apply a non-function. Did you mean {{function}}?',
  T1008: 'Attempted to partially apply a non-function',
  T1010:
    'The matcher function argument passed to function {token} does not return the correct object structure',
  T2001: 'The left side of the {token} operator must evaluate to a number',
  T2002: 'The right side of the {token} operator must evaluate to a number',
  T2003: 'The left side of the range operator (..) must evaluate to an integer',
  T2004: 'The right side of the range operator (..) must evaluate to an integer',
  T2006: 'The right side of the function application operator ~> must be a function',
  T2007: 'Type mismatch when comparing values {value} and {value2} in order-by clause',
  T2008: 'The expressions within an order-by clause must evaluate to numeric or string values',
  T2009: 'The values {value} and {value2} either side of operator {token} must be of the same data type',
  T2010: 'The expressions either side of operator {token} must evaluate to numeric or string values',
  T2011: 'The insert/update clause of the transform expression must evaluate to an object: {value}',
  T2012:
    'The delete clause of the transform expression must evaluate to a string or array of strings: {value}',
  T2013:
    'The transform expression clones the input object using the $clone() function. This has been overridden in the current scope by a non-function',
  T2014: 'The pattern of a transform expression must select objects inside the copy that it changes',
};

/** A failed evaluation. Its message comes from `describe`, because the position is added while the error propagates. */
export class EvaluationError extends Error {
  override readonly name = 'EvaluationError';
  readonly code: string;
  /** Offset in the expression, in UTF-16 units. */
  position: number | undefined;
  token: string | undefined;
  readonly #details: Details;

  constructor(code: string, details: Details = {}) {
    super(code);
    this.code = code;
    this.token = details.token;
    this.#details = details;
  }

  /** Adds the position, unless an inner node has already done so. */
  at(position: number | undefined, token?: string | undefined): this {
    this.position ??= position;
    this.token ??= token;
    return this;
  }

  describe(): string {
    const details = { ...this.#details, token: this.token, function: `$${this.token}` };
    const template = messages[this.code] ?? this.code;
    const message = template.replace(/\{\{(\w+)\}\}|\{(\w+)\}/g, (_all, plain: string, json: string) => {
      const value = details[(plain ?? json) as keyof typeof details];
      return plain === undefined ? quote(value) : String(value);
    });
    return this.position === undefined ? message : `${message} (character ${this.position})`;
  }
}

const longestQuote = 100;

/** Quotes a value in a message: shortened, and without the contents of lists and objects. */
const quote = (value: unknown): string => {
  if (typeof value === 'string') {
    return JSON.stringify(value.length > longestQuote ? `${value.slice(0, longestQuote)}…` : value);
  }
  if (Array.isArray(value)) return `an array of length ${value.length}`;
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
};

/** The message of a failed evaluation. */
export const describeError = (error: unknown): string =>
  error instanceof EvaluationError
    ? error.describe()
    : String((error as { message?: unknown } | null)?.message ?? error);
