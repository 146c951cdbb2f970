import jsonata from 'jsonata';
import type { Natives } from '../native.ts';
import { createDateFunctions } from './dates.ts';
import { listFunctions } from './lists.ts';
import { matchingFunctions } from './matching.ts';
import { numberFunctions } from './numbers.ts';
import { objectFunctions } from './objects.ts';
import { createPictureFunctions, type LibraryFunction, type PictureLibrary } from './pictures.ts';
import { stepFunctions } from './step-functions.ts';
import { textFunctions } from './texts.ts';

const libraryFunctions = ['formatNumber', 'formatInteger', 'parseInteger', 'fromMillis'] as const;

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

export const loadNatives = async (): Promise<Natives> => {
  const library = await loadLibrary();
  return new Map(
    Object.entries({
      ...numberFunctions,
      ...textFunctions,
      ...matchingFunctions,
      ...listFunctions,
      ...objectFunctions,
      ...stepFunctions,
      ...createPictureFunctions(library),
      ...createDateFunctions(library),
    }),
  );
};
