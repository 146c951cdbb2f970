type Brand = 'AppError' | 'NodeError' | 'RegistrationRefused';

/** A registered symbol is the same in every copy of this module: a plugin and a chunk of a bundle have copies of their own. */
const symbolOf = (brand: Brand): symbol => Symbol.for(`hookloom.${brand}`);

/** Marks an error as one of a class, so that it is recognised across copies of the class. */
export const brandError = (error: Error, brand: Brand): void => {
  Object.defineProperty(error, symbolOf(brand), { value: true });
};

export const hasBrand = (thrown: unknown, brand: Brand): thrown is Error =>
  thrown instanceof Error && symbolOf(brand) in thrown;
