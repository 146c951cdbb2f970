import type { JsonValue } from '@hookloom/plugin-kit';

/** Parses JSON; undefined for any other text. */
export const tryJson = (text: string): JsonValue | undefined => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
