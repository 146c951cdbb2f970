type Brand = 'AppError' | 'NodeError' | 'RegistrationRefused';

/**
 * A registered symbol is the same in every copy of this module; plugins and chunks of bundles have their own copies.
 */
const symbolOf = (brand: Brand): symbol => Symbol.for(`hookloom.${brand}`);

/** Marks an error as belonging to a class, so that it is recognised across copies of the class. */
export const brandError = (error: Error, brand: Brand): void => {
  Object.defineProperty(error, symbolOf(brand), { value: true });
};

export const hasBrand = (thrown: unknown, brand: Brand): thrown is Error =>
  thrown instanceof Error && symbolOf(brand) in thrown;
