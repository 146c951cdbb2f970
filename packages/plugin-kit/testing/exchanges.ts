/** Exchanges in the expected order, or a function that answers anything. */
export type Answers<Sent, Exchange, Answer> =
  | readonly Exchange[]
  | ((sent: Sent) => Answer | Promise<Answer>);

/** How exchanges of one kind are compared and named. */
interface ExchangeRules<Sent, Exchange, Answer> {
  /** What is exchanged, for messages: `request` or `call`. */
  readonly noun: string;
  describeSent(sent: Sent): string;
  describeExpected(exchange: Exchange): string;
  /** Returns how what was sent differs from what the exchange expects; null if it does not. */
  findDifference(sent: Sent, exchange: Exchange, what: string): string | null;
  answerOf(exchange: Exchange): Answer;
}

/** Answers what a node sends from recorded exchanges, and refuses anything else. */
export const createExchanges = <Sent, Exchange, Answer>(
  answers: Answers<Sent, Exchange, Answer>,
  { noun, describeSent, describeExpected, findDifference, answerOf }: ExchangeRules<Sent, Exchange, Answer>,
) => {
  const sent: Sent[] = [];
  const problems: Error[] = [];

  const answer = async (message: Sent): Promise<Answer> => {
    const index = sent.push(message) - 1;
    if (typeof answers === 'function') return answers(message);
    const exchange = answers[index];
    const what = `${noun} ${index + 1}`;
    const problem =
      exchange === undefined
        ? `${what} is not expected: ${describeSent(message)}`
        : findDifference(message, exchange, what);
    if (problem === null && exchange !== undefined) return answerOf(exchange);
    // Remembered, since the node may catch it.
    const error = new Error(problem ?? 'no answer');
    problems.push(error);
    throw error;
  };

  /** @throws Error for the first message that was not expected, or an exchange that did not take place */
  const assertDone = (): void => {
    const [problem] = problems;
    if (problem !== undefined) throw problem;
    const missing = typeof answers === 'function' ? undefined : answers[sent.length];
    if (missing !== undefined)
      throw new Error(`${noun} ${sent.length + 1} was not sent: ${describeExpected(missing)}`);
  };

  return { sent, answer, assertDone };
};

/** The sentence about a part that differs. */
export const toDifference = (what: string, part: string, sent: unknown, expected: unknown): string =>
  `${what}: ${part} is ${JSON.stringify(sent)}, expected ${JSON.stringify(expected)}`;
