/** Bounds the memory of what is kept, which grows with the texts. */
const MAX_CHARACTERS = 50_000;
/** Counted for each text, so that many short ones are bounded too. */
const ENTRY = 20;

/** Gives equal texts the same result, also across plans, while the kept texts are few. Errors are not kept. */
export const shareByText = <Result>(make: (text: string) => Result): ((text: string) => Result) => {
  const kept = new Map<string, Result>();
  let characters = 0;
  return (text) => {
    if (kept.has(text)) return kept.get(text) as Result;
    const result = make(text);
    characters += text.length + ENTRY;
    if (characters > MAX_CHARACTERS) {
      kept.clear();
      characters = text.length + ENTRY;
    }
    if (characters <= MAX_CHARACTERS) kept.set(text, result);
    return result;
  };
};
