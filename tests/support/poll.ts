const INTERVAL_MS = 20;

/** Asks again and again until it is so: for real processes, which do not say when they are done. */
export const poll = async (isSo: () => Promise<boolean> | boolean): Promise<void> => {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
};
