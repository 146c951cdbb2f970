/**
 * Asks the main process of the run for what its test files share: `makers` in runner/shared-server.ts.
 *
 * @throws Error with the stack of the failure, if it can't be made
 */
export const sharedByRun = async (name: string): Promise<string> => {
  const response = await fetch(`${process.env.HOOKLOOM_SHARED}/${name}`);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
};
