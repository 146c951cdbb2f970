import jsonata from 'jsonata';
import { listFunctions } from './src/functions/lists.ts';
import { matchingFunctions } from './src/functions/matching.ts';
import { numberFunctions } from './src/functions/numbers.ts';
import { objectFunctions } from './src/functions/objects.ts';
import {
  createPictureFunctions,
  type LibraryFunction,
  type PictureLibrary,
} from './src/functions/pictures.ts';
import { stepFunctions } from './src/functions/step-functions.ts';
import { textFunctions } from './src/functions/texts.ts';
import type { Native } from './src/native.ts';

const libraryFunctions = ['formatNumber', 'formatInteger', 'parseInteger', 'toMillis', 'fromMillis'] as const;

/** Functions of the jsonata library, read from it as the value of the expression `$name`. */
const loadLibrary = async (): Promise<PictureLibrary> => {
  const entries = libraryFunctions.map(async (name) => {
    const { implementation } = (await jsonata(`$${name}`).evaluate(null)) as {
      implementation: LibraryFunction;
    };
    return [name, implementation] as const;
  });
  return Object.fromEntries(await Promise.all(entries)) as Record<keyof PictureLibrary, LibraryFunction>;
};

/** The built-in functions by name, without the `$`. */
export type Natives = ReadonlyMap<string, Native>;

export const loadNatives = async (): Promise<Natives> =>
  new Map(
    Object.entries({
      ...numberFunctions,
      ...textFunctions,
      ...matchingFunctions,
      ...listFunctions,
      ...objectFunctions,
      ...stepFunctions,
      ...createPictureFunctions(await loadLibrary()),
    }),
  );
