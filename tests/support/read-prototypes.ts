/** The names and types of what all objects inherit: the same before and after, unless a request could change it. */
export const readPrototypes = () =>
  [Object.prototype, Array.prototype, String.prototype, Function.prototype].map((prototype) =>
    Reflect.ownKeys(prototype).map((key) => [
      String(key),
      typeof Object.getOwnPropertyDescriptor(prototype, key)?.value,
    ]),
  );
