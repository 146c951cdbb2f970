/** Lets in what comes, in its order, but at most `width` at once. */
export const createGate = (width: number) => {
  let inside = 0;
  const waiting: (() => void)[] = [];
  const leave = () => {
    inside--;
    waiting.shift()?.();
  };
  return async <Value>(work: () => Promise<Value>): Promise<Value> => {
    if (inside >= width) await new Promise<void>((resolve) => waiting.push(resolve));
    inside++;
    try {
      return await work();
    } finally {
      leave();
    }
  };
};
