import { loadNatives } from '../../../lib/workflows/expressions/language.chunk.ts';

/** Gives a test for names of functions that expressions have. */
export const loadFunctionNames = async (): Promise<(name: string) => boolean> => {
  const natives = await loadNatives();
  return (name) => natives.has(name);
};
