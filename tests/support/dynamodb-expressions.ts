/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html#limits-expression-parameters */
const MAX_BYTES = 4_096;
const MAX_OPERATORS = 300;

const EXPRESSIONS = [
  'ConditionExpression',
  'FilterExpression',
  'KeyConditionExpression',
  'ProjectionExpression',
  'UpdateExpression',
] as const;

/**
 * What DynamoDB refuses in the expressions of a call, and dynalite does not: more than 4 kB, as they are written, or more than
 * 300 operators and functions.
 *
 * @returns the message of its `ValidationException`; null for nothing
 */
export const findInvalidExpression = (input: Readonly<Record<string, unknown>>): string | null => {
  for (const name of EXPRESSIONS) {
    const expression = input[name];
    if (typeof expression !== 'string') continue;
    const bytes = Buffer.byteLength(expression);
    if (bytes > MAX_BYTES)
      return `Invalid ${name}: Expression size has exceeded the maximum allowed size; expression size: ${bytes}`;
    const operators = countOperators(expression, name === 'UpdateExpression');
    if (operators > MAX_OPERATORS)
      return `Invalid ${name}: The expression contains too many operators; operator count: ${operators}`;
  }
  return null;
};

/**
 * Comparisons, AND, OR, NOT, BETWEEN, IN, arithmetic and functions. The `=` of an update assigns.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/example_dynamodb_Scenario_ExpressionOperatorCounting_section.html
 */
const countOperators = (expression: string, isUpdate: boolean): number => {
  const symbols = expression.match(isUpdate ? /[+-]/g : /<=|>=|<>|[<>=]/g) ?? [];
  const words = isUpdate ? [] : (expression.match(/\b(?:AND|OR|NOT|BETWEEN|IN)\b/gi) ?? []);
  const functions = expression.match(
    /\b(?:attribute_exists|attribute_not_exists|attribute_type|begins_with|contains|size|if_not_exists|list_append)\b/g,
  );
  return symbols.length + words.length + (functions ?? []).length;
};
