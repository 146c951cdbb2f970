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
    const size = text.length + ENTRY;
    if (size > MAX_CHARACTERS) return result;
    if (characters + size > MAX_CHARACTERS) {
      kept.clear();
      characters = 0;
    }
    characters += size;
    kept.set(text, result);
    return result;
  };
};
